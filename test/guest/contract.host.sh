#!/usr/bin/env bash
# What contract.sh needs of this machine: Hadoop's contract tests, and HMFS's binding to them, compiled.
set -u

self=$(readlink -f "${BASH_SOURCE[0]}")
root=${self%/test/guest/contract.host.sh}
. "$root/bin/lib/common.sh"
. "$root/bin/lib/class-paths.sh"
jdk_use_25

work=$root/target/guest/contract
rm -rf "$work"
mkdir -p "$work/classes" "$work/conf"
path=$("$root/bin/lib/contract-hadoop" filesystem) || exit
"$JAVA_HOME/bin/javac" -nowarn -d "$work/classes" -cp "$(jar hmfs-hadoop):$path" \
    "$root/hmfs-hadoop/src/test/java/io/hmfs/hadoop/HmfsContracts.java" || die "the contract tests cannot be compiled"
echo "$work/conf:$work/classes:$root/hmfs-hadoop/src/test/resources:$(jar hmfs-hadoop):$path" >"$work/classpath"
cat >"$work/conf/core-site.xml" <<'XML'
<configuration>
  <property>
    <name>fs.hmfs.transport</name>
    <value>rdma</value>
  </property>
</configuration>
XML
