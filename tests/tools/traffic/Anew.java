import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Makes its client anew every second, each time with what its file holds then, and says what Kafka's verifiable clients say.
 * Arguments: produce or consume, bootstrap, topic, beginning of values or consumer group, file with trusted CAs, file with key and
 * certificates.
 */
public final class Anew {
    private static final Duration LIFE = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final long PAUSE_MS = 50;

    private static volatile boolean stopping;

    private final String[] arguments;
    private int number;
    private boolean assigned;

    private Anew(String[] arguments) {
        this.arguments = arguments;
    }

    public static void main(String[] arguments) throws Exception {
        var main = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(main)));
        var clients = new Anew(arguments);
        while (!stopping) {
            say("client_started", "");
            try {
                if (arguments[0].equals("produce")) {
                    clients.produce();
                } else {
                    clients.consume();
                }
            } catch (KafkaException refused) {
                // The library logs why; the next one may have another certificate.
                Thread.sleep(PAUSE_MS);
            }
        }
    }

    /** What has been sent is waited for. */
    private static void end(Thread main) {
        stopping = true;
        try {
            main.join(PATIENCE.toMillis());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void produce() throws Exception {
        var configuration = configuration();
        configuration.putAll(Map.of("acks", "all", "enable.idempotence", true, "delivery.timeout.ms", 300_000, "linger.ms", 0,
                "key.serializer", StringSerializer.class, "value.serializer", StringSerializer.class));
        var producer = new KafkaProducer<String, String>(configuration);
        try {
            for (long end = System.nanoTime() + LIFE.toNanos(); System.nanoTime() < end && !stopping; Thread.sleep(PAUSE_MS)) {
                String value = arguments[3] + "." + number++;
                producer.send(new ProducerRecord<>(arguments[2], value), (where, error) -> delivered(value, where, error));
            }
        } finally {
            producer.close(PATIENCE);
        }
    }

    private static void delivered(String value, RecordMetadata where, Exception error) {
        if (error == null) {
            say("producer_send_success", position(value, where.partition(), where.offset()));
        } else {
            say("producer_send_error", ", \"value\": \"" + value + "\", \"message\": \"" + error.getClass().getSimpleName() + "\"");
        }
    }

    /** Without a member of the group: what it has read is stored with the group, and the next one goes on from there. */
    private void consume() throws Exception {
        var configuration = configuration();
        configuration.putAll(Map.of("group.id", arguments[3], "enable.auto.commit", false, "auto.offset.reset", "earliest",
                "key.deserializer", StringDeserializer.class, "value.deserializer", StringDeserializer.class));
        try (var consumer = new KafkaConsumer<String, String>(configuration)) {
            consumer.assign(consumer.partitionsFor(arguments[2]).stream()
                    .map(one -> new TopicPartition(one.topic(), one.partition())).toList());
            if (!assigned) {
                assigned = true;
                say("partitions_assigned", "");
            }
            for (long end = System.nanoTime() + LIFE.toNanos(); System.nanoTime() < end && !stopping;) {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
                    say("record_data", position(record.value(), record.partition(), record.offset()));
                }
            }
            consumer.commitSync();
        }
    }

    private Map<String, Object> configuration() throws Exception {
        // One reading: key and certificates belong together.
        String login = Files.readString(Path.of(arguments[5]));
        int certificates = login.indexOf("-----BEGIN CERTIFICATE");
        return new HashMap<>(Map.of("bootstrap.servers", arguments[1], "security.protocol", "SSL",
                "ssl.truststore.type", "PEM", "ssl.truststore.location", arguments[4], "ssl.keystore.type", "PEM",
                "ssl.keystore.key", login.substring(0, certificates),
                "ssl.keystore.certificate.chain", login.substring(certificates),
                "reconnect.backoff.max.ms", 1000, "request.timeout.ms", 10_000));
    }

    private static String position(String value, int partition, long offset) {
        return ", \"value\": \"" + value + "\", \"partition\": " + partition + ", \"offset\": " + offset;
    }

    private static synchronized void say(String name, String facts) {
        System.out.println("{\"name\": \"" + name + "\"" + facts + "}");
    }
}
