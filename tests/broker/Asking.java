import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.AdminClient;

/**
 * Answers for each line whether Kafka's own client gets an answer: where to ask, and the file with what it trusts.
 */
public final class Asking {
    private static final int PATIENCE = 20_000;

    public static void main(String[] arguments) throws Exception {
        var lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            var fields = line.split(" ");
            System.out.println(ask(fields[0], fields[1]));
        }
    }

    private static String ask(String bootstrap, String trusted) throws InterruptedException {
        Map<String, Object> configuration = Map.of(
                "bootstrap.servers", bootstrap, "security.protocol", "SSL", "ssl.truststore.type", "PEM",
                "ssl.truststore.location", trusted, "default.api.timeout.ms", PATIENCE, "request.timeout.ms", PATIENCE);
        try (var client = AdminClient.create(configuration)) {
            client.listTopics().names().get(PATIENCE, TimeUnit.MILLISECONDS);
            return "accepted";
        } catch (ExecutionException | TimeoutException refused) {
            return "refused: " + reasons(refused).replace('\n', ' ');
        }
    }

    private static String reasons(Throwable refused) {
        return refused == null ? "" : refused + " " + reasons(refused.getCause());
    }
}
