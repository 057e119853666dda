# Images of all services: docker build --target gateway -t idsync/gateway .
# Targets: gateway, directory, sync-worker, webhook-dispatcher, migrate, cli. Design: docs/adr/0050-images-and-compose.md
ARG NODE_IMAGE=node:24-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe
ARG DEBIAN_IMAGE=debian:trixie-slim@sha256:a29215f6a35e51e22adffa17f89e9d2ef06214e64a2bad10d765c46aea49f11f

FROM ${NODE_IMAGE} AS node
ENV TURBO_TELEMETRY_DISABLED=1 npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false

# The manifests change rarely, so the packages that are installed from them alone stay cached.
FROM node AS manifests
COPY . /all/
RUN mkdir /manifests && cd /all \
 && cp --parents package.json package-lock.json .npmrc apps/*/package.json libs/*/package.json /manifests

# Bundles all programs once; /out has the files of each image.
FROM node AS bundled
WORKDIR /src
COPY --from=manifests /manifests/ ./
RUN --mount=type=cache,id=npm,target=/root/.npm npm ci --ignore-scripts
COPY . .
RUN npx turbo run programs --output-logs=errors-only
COPY docker/copy-programs /usr/local/bin/
RUN copy-programs gateway directory sync-worker webhook-dispatcher migrate idsync

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
COPY --from=bundled /out/gateway/ ./
ENV HOST=0.0.0.0 PORT=3000
EXPOSE 3000
HEALTHCHECK --interval=5s --timeout=5s --start-period=60s CMD ["healthcheck", "PORT", "3000", "/v1/health"]
ENTRYPOINT ["node", "gateway.js"]

FROM service AS directory
LABEL org.opencontainers.image.title="idsync directory" \
      org.opencontainers.image.description="Applies batches: matching, merging, lifecycle, documents"
COPY --from=bundled /out/directory/ ./
ENTRYPOINT ["node", "directory.js"]

FROM service AS sync-worker
LABEL org.opencontainers.image.title="idsync sync-worker" \
      org.opencontainers.image.description="Runs sync jobs: reads connectors and writes batches"
WORKDIR /sources
WORKDIR /app
COPY --from=bundled /out/sync-worker/ ./
ENV SOURCES_DIR=/sources
ENTRYPOINT ["node", "sync-worker.js"]

FROM service AS webhook-dispatcher
LABEL org.opencontainers.image.title="idsync webhook-dispatcher" \
      org.opencontainers.image.description="Delivers events to webhooks, signed and with retries"
COPY --from=bundled /out/webhook-dispatcher/ ./
ENTRYPOINT ["node", "webhook-dispatcher.js"]

FROM runtime AS migrate
LABEL org.opencontainers.image.title="idsync migrate" \
      org.opencontainers.image.description="Migrates the database schema, then exits"
COPY --from=bundled /out/migrate/ ./
ENTRYPOINT ["node", "migrate.js"]

FROM runtime AS cli
LABEL org.opencontainers.image.title="idsync cli" \
      org.opencontainers.image.description="The idsync command line"
COPY --from=bundled /out/idsync/ ./
ENTRYPOINT ["node", "idsync.js"]
