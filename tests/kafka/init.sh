#!/bin/sh
# First process of the node, in namespaces of its own (mounts, network, processes); $1 is the folder of the bed.
# Whatever is mounted here, and every process here, ends with this process: the kernel sees to it.
set -eu
mount --make-rshared /
# What containerd, the kubelet, runc and CNI keep at their usual places is kept in memory: images (0.8 GiB) and data of
# pods are there fast, and gone at once. Logs of pods stay readable from outside.
mount -t tmpfs -o mode=755,size=4g lib /var/lib
mount -t tmpfs -o mode=755 run /run
mkdir "$1/pods"
mount --bind "$1/pods" /var/log
# The kubelet sets parameters of the whole machine's kernel: here it sets copies of them.
mkdir /run/parameters
for parameter in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops \
    kernel/keys/root_maxkeys kernel/keys/root_maxbytes; do
    copy=/run/parameters/${parameter##*/}
    cat "/proc/sys/$parameter" >"$copy"
    mount --bind "$copy" "/proc/sys/$parameter"
done
ip link set lo up
echo 1 >/proc/sys/net/ipv4/ip_forward
touch "$1/node.ready"
# A shell that waits also collects processes whose parent is gone.
sleep infinity &
wait
