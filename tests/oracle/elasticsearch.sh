#!/bin/sh
# Runs a real Elasticsearch 9.2 from its published Maven artifacts, to compare answers and speed with. A black box: nothing of
# it is linked or shipped.
# usage: elasticsearch.sh start [PORT] [HEAP] [setting=value ...]   prints the URL once it answers
#        elasticsearch.sh stop
# Needs Maven and a JDK 21 or newer (ORACLE_JAVA_HOME, else the first fitting one). Everything lives under $ORACLE_HOME
# (default ~/.cache/oracle/elasticsearch); its data is wiped at every start.
set -eu
here=$(cd "$(dirname "$0")" && pwd)/elasticsearch
home=${ORACLE_HOME:-$HOME/.cache/oracle}/elasticsearch
port=19202 heap=1g

newest_jdk() {
  for jdk in "${ORACLE_JAVA_HOME:-}" "${JAVA_HOME:-}" /usr/lib/jvm/*; do
    [ -n "$jdk" ] && [ -x "$jdk/bin/javac" ] || continue
    version=$("$jdk/bin/javac" -version 2>&1 | sed 's/[^0-9]*\([0-9]*\).*/\1/')
    [ "$version" -ge 21 ] 2>/dev/null && { echo "$jdk"; return; }
  done
  echo "oracle: no JDK 21 or newer found; set ORACLE_JAVA_HOME" >&2; exit 1
}

install() { # the HTTP transport is a module with a class loader of its own
  rm -rf "$home"; mkdir -p "$home/config" "$home/plugins" "$home/lib" "$home/modules/transport-netty4"
  echo "oracle: fetching Elasticsearch (once)" >&2
  JAVA_HOME=$jdk mvn -q -B -f "$here/pom.xml" dependency:copy-dependencies -DoutputDirectory="$home/jars" > "$home/maven.log" 2>&1 ||
    { cat "$home/maven.log" >&2; exit 1; }
  "$jdk/bin/javac" -nowarn -cp "$home/jars/*" -d "$home/classes" "$here/Main.java"
  for jar in "$home"/jars/netty-*.jar "$home"/jars/transport-netty4-*.jar "$home"/jars/elasticsearch-ssl-config-*.jar; do
    mv "$jar" "$home/modules/transport-netty4/"
  done
  cat > "$home/modules/transport-netty4/plugin-descriptor.properties" <<D
name=transport-netty4
description=HTTP and transport
version=9.2.0
elasticsearch.version=9.2.0
java.version=21
classname=org.elasticsearch.transport.netty4.Netty4Plugin
D
  cat > "$home/config/log4j2.properties" <<D
status = error
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d %p %c %m%n
rootLogger.level = warn
rootLogger.appenderRef.console.ref = console
D
  touch "$home/installed"
}

stop() {
  [ -e "$home/pid" ] || return 0
  pid=$(cat "$home/pid"); rm -f "$home/pid"
  case $(tr '\0' ' ' < "/proc/$pid/cmdline" 2>/dev/null) in *"$home"*) kill "$pid"; while kill -0 "$pid" 2>/dev/null; do sleep 0.2; done;; esac
}

start() {
  jdk=$(newest_jdk)
  [ -e "$home/installed" ] || install
  stop
  rm -rf "$home/data"
  nohup "$jdk/bin/java" "-Xms$heap" "-Xmx$heap" --enable-native-access=ALL-UNNAMED --add-modules jdk.incubator.vector \
    "-Des.path.home=$home" "-Dlog4j.configurationFile=$home/config/log4j2.properties" \
    -cp "$home/classes:$home/jars/*" Main "$home" "$port" "$@" > "$home/log" 2>&1 &
  echo $! > "$home/pid"
  for _ in $(seq 240); do
    if curl -s -o /dev/null "http://127.0.0.1:$port/_cat/indices"; then echo "http://127.0.0.1:$port"; return; fi
    kill -0 "$(cat "$home/pid")" 2>/dev/null || { tail -20 "$home/log" >&2; exit 1; }
    sleep 0.5
  done
  echo "oracle: no answer within two minutes, see $home/log" >&2; exit 1
}

command=${1:-}; [ $# -eq 0 ] || shift
case ${1:-} in [0-9]*[gm]) ;; [0-9]*) port=$1; shift;; esac
case ${1:-} in [0-9]*[gm]) heap=$1; shift;; esac
case $command in start) start "$@";; stop) stop;; *) sed -n '2,8s/^# //p' "$0" >&2; exit 2;; esac
