# bidhelm run as a container. Everything comes from the lock file; no compiler and no install script is needed.
#
#   docker build -t bidhelm .
#
# /config  bidhelm.yaml; commands are typed as if one stood here
# /rules   rule files (rules: /rules)
# /data    the store, or beside PostgreSQL lock and socket (store: sqlite:/data/bidhelm.sqlite, or machine_folder: /data)
#
# docs/operations/container.md tells how to use it. Nothing but /data and /tmp is written, so the rest may be read-only.
ARG NODE_IMAGE=node:22-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY build.mjs tsconfig.json ./
COPY src src
COPY rules rules
RUN npm run build

FROM ${NODE_IMAGE} AS modules
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=modules /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY rules rules
COPY docs/field-notes.md docs/
RUN ln -s /app/dist/bidhelm.js /usr/local/bin/bidhelm
RUN install -d /config /rules
RUN install -d -m 700 -o node -g node /data /secrets
USER node
WORKDIR /config
VOLUME /data
# Asked to end, it answers within 30 seconds: stop containers with --stop-timeout 45 or more.
STOPSIGNAL SIGTERM
# Needs runner: {http: 127.0.0.1:9464} in bidhelm.yaml.
ENV BIDHELM_HEALTH=http://127.0.0.1:9464/healthz
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(process.env.BIDHELM_HEALTH).then((r)=>process.exit(r.ok?0:1),()=>process.exit(1))"]
ENTRYPOINT ["bidhelm"]
CMD ["run"]
