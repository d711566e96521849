#!/usr/bin/env bash
# Starts the Kafka node that the ConfigMap of its pod describes; the working directory is /opt/kafka.
set -eu
cp custom-config/server.config /tmp/strimzi.properties
export KAFKA_OPTS="-Dlog4j2.configurationFile=/opt/kafka/custom-config/log4j2.properties ${STRIMZI_JAVA_SYSTEM_PROPERTIES:-}"
data=$(sed -n 's/^log.dirs=//p' /tmp/strimzi.properties)
if [ ! -e "$data/meta.properties" ]; then
    bin/kafka-run-class.sh kafka.tools.StorageTool format --cluster-id "$(cat custom-config/cluster.id)" \
        --release-version "$(cat custom-config/metadata.version)" --config /tmp/strimzi.properties
fi
# As in Strimzi's image: a process with the number 1 is ended by no signal from inside its container that it does not wait for.
exec /usr/bin/tini -w -e 143 -- bin/kafka-run-class.sh kafka.Kafka /tmp/strimzi.properties
