#!/usr/bin/env bash
# Runs a class of Kafka, as the script of this name in Kafka's distribution does.
# The options make a Java process start fast on few processors: it maps the classes that remember_classes.sh has stored,
# which Java allows for the same class path alone.
# shellcheck disable=SC2086 # options are words
exec java ${KAFKA_HEAP_OPTS:--Xmx256m} -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
    ${KAFKA_CLASSES:--XX:SharedArchiveFile=/opt/kafka/classes.jsa} ${KAFKA_OPTS:-} \
    -cp "$(printf '%s:' /opt/kafka/libs/*.jar)" "$@"
