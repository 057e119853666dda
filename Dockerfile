# Images of all services: docker build --target gateway -t idsync/gateway .
# Targets: gateway, directory, sync-worker, webhook-dispatcher, migrate, cli. Design: docs/adr/0050-images-and-compose.md
ARG NODE_IMAGE=node:24-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe
ARG DEBIAN_IMAGE=debian:trixie-slim@sha256:a29215f6a35e51e22adffa17f89e9d2ef06214e64a2bad10d765c46aea49f11f

FROM ${NODE_IMAGE} AS node
ENV TURBO_TELEMETRY_DISABLED=1 npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false
WORKDIR /src

# Extracts the part of the workspace that each image needs. Manifests (json/) change rarely, so layers built from them alone stay cached.
FROM node AS pruned
COPY package.json ./
RUN --mount=type=cache,id=npm,target=/root/.npm \
    npm install --global "turbo@$(node -p 'require("./package.json").devDependencies.turbo')"
COPY . .
RUN prune() { image=$1; shift; turbo prune "$@" --docker --out-dir "/pruned/$image"; } \
 && prune gateway @idsync/gateway \
 && prune directory @idsync/directory \
 && prune sync-worker @idsync/sync-worker \
 && prune webhook-dispatcher @idsync/webhook-dispatcher \
 && prune migrate @idsync/database \
 && prune cli idsync \
 && prune all @idsync/gateway @idsync/directory @idsync/sync-worker @idsync/webhook-dispatcher idsync

# Compiles everything once; /out has the compiled packages of each image.
FROM node AS built
COPY --from=pruned /pruned/all/json/ ./
RUN --mount=type=cache,id=npm,target=/root/.npm npm ci --ignore-scripts
COPY --from=pruned /pruned/all/full/ ./
COPY tsconfig.base.json ./
RUN npx turbo run build --output-logs=errors-only
RUN --mount=type=bind,from=pruned,source=/pruned,target=/pruned \
    set -e; for image in gateway directory sync-worker webhook-dispatcher migrate cli; do \
      for manifest in $(cd "/pruned/$image/json" && ls -d apps/*/package.json libs/*/package.json 2>/dev/null); do \
        find "$(dirname "$manifest")" -path '*/node_modules' -prune -o -path '*/src' -prune -o \( -name '*.js' -o -name '*.css' -o -path 'apps/console/dist/static/*' -type f \) -print; \
      done | tar -c -T - | (mkdir -p "/out/$image" && tar -x -C "/out/$image"); \
    done

FROM node AS modules
COPY docker/install-modules /usr/local/bin/

FROM modules AS gateway-modules
COPY --from=pruned /pruned/gateway/json/ ./
RUN --mount=type=cache,id=npm,target=/root/.npm install-modules

FROM modules AS directory-modules
COPY --from=pruned /pruned/directory/json/ ./
RUN --mount=type=cache,id=npm,target=/root/.npm install-modules

FROM modules AS sync-worker-modules
COPY --from=pruned /pruned/sync-worker/json/ ./
RUN --mount=type=cache,id=npm,target=/root/.npm install-modules

FROM modules AS webhook-dispatcher-modules
COPY --from=pruned /pruned/webhook-dispatcher/json/ ./
RUN --mount=type=cache,id=npm,target=/root/.npm install-modules

FROM modules AS migrate-modules
COPY --from=pruned /pruned/migrate/json/ ./
RUN --mount=type=cache,id=npm,target=/root/.npm install-modules

FROM modules AS cli-modules
COPY --from=pruned /pruned/cli/json/ ./
RUN --mount=type=cache,id=npm,target=/root/.npm install-modules

# Contains the node program without npm, because nothing is installed in a running image.
FROM ${DEBIAN_IMAGE} AS runtime
RUN groupadd --gid 10001 idsync && useradd --uid 10001 --gid idsync --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin idsync
COPY --from=node /usr/local/bin/node /usr/local/bin/node
ENV NODE_ENV=production
WORKDIR /app
USER 10001:10001
ARG VERSION=dev
ARG REVISION=unknown
LABEL org.opencontainers.image.vendor="idsync" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"

# Base of long-running services, which report their health on the internal port.
FROM runtime AS service
COPY docker/healthcheck /usr/local/bin/
ENV INTERNAL_HOST=0.0.0.0 INTERNAL_PORT=9464
EXPOSE 9464
HEALTHCHECK --interval=5s --timeout=5s --start-period=60s CMD ["healthcheck", "INTERNAL_PORT", "9464", "/readyz"]

FROM service AS gateway
LABEL org.opencontainers.image.title="idsync gateway" \
      org.opencontainers.image.description="Public API, operator API, API keys and tenants"
COPY --from=gateway-modules /src/ ./
COPY --from=built /out/gateway/ ./
ENV HOST=0.0.0.0 PORT=3000
EXPOSE 3000
HEALTHCHECK --interval=5s --timeout=5s --start-period=60s CMD ["healthcheck", "PORT", "3000", "/v1/health"]
ENTRYPOINT ["node", "apps/gateway/dist/main.js"]

FROM service AS directory
LABEL org.opencontainers.image.title="idsync directory" \
      org.opencontainers.image.description="Applies batches: matching, merging, lifecycle, documents"
COPY --from=directory-modules /src/ ./
COPY --from=built /out/directory/ ./
ENTRYPOINT ["node", "apps/directory/dist/main.js"]

FROM service AS sync-worker
LABEL org.opencontainers.image.title="idsync sync-worker" \
      org.opencontainers.image.description="Runs sync jobs: reads connectors and writes batches"
WORKDIR /sources
WORKDIR /app
COPY --from=sync-worker-modules /src/ ./
COPY --from=built /out/sync-worker/ ./
ENV SOURCES_DIR=/sources
ENTRYPOINT ["node", "apps/sync-worker/dist/main.js"]

FROM service AS webhook-dispatcher
LABEL org.opencontainers.image.title="idsync webhook-dispatcher" \
      org.opencontainers.image.description="Delivers events to webhooks, signed and with retries"
COPY --from=webhook-dispatcher-modules /src/ ./
COPY --from=built /out/webhook-dispatcher/ ./
ENTRYPOINT ["node", "apps/webhook-dispatcher/dist/main.js"]

FROM runtime AS migrate
LABEL org.opencontainers.image.title="idsync migrate" \
      org.opencontainers.image.description="Migrates the database schema, then exits"
COPY --from=migrate-modules /src/ ./
COPY --from=built /out/migrate/ ./
ENTRYPOINT ["node", "libs/database/dist/migrate-main.js"]

FROM runtime AS cli
LABEL org.opencontainers.image.title="idsync cli" \
      org.opencontainers.image.description="The idsync command line"
COPY --from=cli-modules /src/ ./
COPY --from=built /out/cli/ ./
ENTRYPOINT ["node", "apps/cli/bin/idsync.js"]
