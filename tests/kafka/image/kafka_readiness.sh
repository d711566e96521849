#!/usr/bin/env bash
# Ready when something listens: 9090 on a controller, 9091 too on a broker, which it opens when it has caught up.
set -eu
listening() { # port: looked up in the kernel's table, so that no half a connection shows up in the broker's log
    cat /proc/net/tcp /proc/net/tcp6 | grep -q "$(printf ':%04X ' "$1")[0-9A-F:]* 0A"
}
roles=$(sed -n 's/^process.roles=//p' /opt/kafka/custom-config/server.config)
case "$roles" in *controller*) listening 9090 ;; esac
case "$roles" in *broker*) listening 9091 ;; esac
