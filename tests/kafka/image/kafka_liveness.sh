#!/usr/bin/env bash
# Alive as long as there is a Java process.
exec grep -q '^java$' /proc/[0-9]*/comm
