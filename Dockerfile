# One static binary. PostgreSQL runs in its own container: see docker-compose.yml.
ARG BUILD_IMAGE=golang:1.26-bookworm
ARG IMAGE=gcr.io/distroless/static-debian12:nonroot

FROM ${BUILD_IMAGE} AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
# The version comes from the git tag or commit. VERSION replaces it where there is none.
ARG VERSION=
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    git config --global --add safe.directory /src && mkdir /backups && \
    CGO_ENABLED=0 go build -trimpath -ldflags="-s -w -X github.com/labelwright/labelwright/internal/version.linked=${VERSION}" -o /labelwright ./cmd/labelwright

FROM ${IMAGE}
COPY --from=build /labelwright /labelwright
COPY --from=build --chown=65532:65532 /backups /backups
USER 65532
ENV LABELWRIGHT_ADDR=0.0.0.0:8080
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["/labelwright", "health"]
ENTRYPOINT ["/labelwright"]
CMD ["serve"]
