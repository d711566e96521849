#!/usr/bin/env bash
# Starts a Kafka node with TLS once and stores the classes that it has loaded, for all later nodes of the image.
# It runs in the root of the image while the image is built, with a network of its own, beside serve_secret.py: the node
# reads its certificate from the API server, as nodes in pods do.
set -eu
cd /opt/kafka
export KUBERNETES_SERVICE_HOST=127.0.0.1 KUBERNETES_SERVICE_PORT=6443
secret="\${strimzisecrets:test/node:node"
cat > /tmp/server.properties <<END
process.roles=broker,controller
node.id=0
controller.quorum.voters=0@127.0.0.1:9090
controller.listener.names=CONTROLPLANE
listeners=SSL://127.0.0.1:9091,CONTROLPLANE://127.0.0.1:9090
listener.security.protocol.map=SSL:SSL,CONTROLPLANE:SSL
inter.broker.listener.name=SSL
config.providers=strimzisecrets
config.providers.strimzisecrets.class=io.strimzi.kafka.KubernetesSecretConfigProvider
ssl.keystore.type=PEM
ssl.keystore.certificate.chain=$secret.crt}
ssl.keystore.key=$secret.key}
ssl.truststore.type=PEM
ssl.truststore.certificates=$secret.crt}
ssl.client.auth=required
log.dirs=/tmp/data
END
export KAFKA_OPTS=-Dlog4j2.configurationFile=/log4j2.properties
KAFKA_CLASSES=-Xshare:auto bin/kafka-run-class.sh kafka.tools.StorageTool format --config /tmp/server.properties \
    --cluster-id AAAAAAAAAAAAAAAAAAAAAA
KAFKA_CLASSES=-XX:ArchiveClassesAtExit=/opt/kafka/classes.jsa bin/kafka-run-class.sh kafka.Kafka \
    /tmp/server.properties &
for _ in $(seq 120); do
    if (exec 3<> /dev/tcp/127.0.0.1/9091) 2> /dev/null; then
        sleep 5
        kill -TERM $!
        # Java ends with 143 after this signal.
        wait $! || true
        test -s classes.jsa
        exit
    fi
    sleep 1
done
echo "the node did not open its listener" >&2
exit 1
