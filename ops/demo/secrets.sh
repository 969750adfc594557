#!/bin/sh
# Makes the secrets of the demo once, readable by the user of the containers only.
set -eu
umask 077
cd "${SECRETS:-/secrets}"
if [ ! -s store_password ]; then
  node -e 'process.stdout.write(require("node:crypto").randomBytes(24).toString("hex"))' > store_password
fi
if [ ! -s metrics_key ]; then
  node -e 'process.stdout.write(require("node:crypto").randomBytes(24).toString("hex"))' > metrics_key
fi
if [ ! -s token ]; then
  bidhelm sandbox --print-token > token
fi
