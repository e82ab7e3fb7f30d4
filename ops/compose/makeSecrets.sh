#!/bin/sh
# Makes the secrets of compose.yaml in ops/secrets (or the folder given), each once: a file that is there stays. Only the owner can enter the
# folder; files that compose gives to containers as they are can be read by anybody in there, because those run as other users.
set -eu

folder=${1:-$(dirname "$0")/../secrets}
mkdir -p "$folder"
chmod 700 "$folder"
cd "$folder"

# 32 random bytes in hex. The letter keeps NATS, which reads numbers with units in its variables, from taking one for such a number.
password() { printf 'p%s' "$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')"; }

# Writes standard input to a file that is not there yet, whole or not at all.
once() {
  if [ -e "$1" ]; then cat > /dev/null; else (umask 022 && cat > "$1.new" && mv "$1.new" "$1"); fi
}

password | once postgres-password
password | once grafana-password
password | once metrics-token
printf 'postgres://sibyl:%s@postgres:5432/sibyl' "$(cat postgres-password)" | once database

if [ ! -e nats.env ]; then
  edge=$(password)
  executor=$(password)
  umask 077
  printf 'SIBYL_CLUSTER_PASSWORD=%s\nSIBYL_METRICS_TOKEN=%s\n' "$edge" "$(cat metrics-token)" > edge.env
  printf 'SIBYL_CLUSTER_PASSWORD=%s\nSIBYL_METRICS_TOKEN=%s\n' "$executor" "$(cat metrics-token)" > executor.env
  printf 'EDGE_PASSWORD=%s\nEXECUTOR_PASSWORD=%s\n' "$edge" "$executor" > nats.env.new
  mv nats.env.new nats.env
fi
