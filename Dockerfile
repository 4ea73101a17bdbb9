# One static binary. PostgreSQL runs in its own container: see docker-compose.yml.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
# The version comes from the git tag or commit. VERSION replaces it where there is none.
ARG VERSION=
RUN git config --global --add safe.directory /src && \
    CGO_ENABLED=0 go build -trimpath -ldflags="-s -w -X github.com/labelwright/labelwright/internal/version.linked=${VERSION}" -o /labelwright ./cmd/labelwright

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /labelwright /labelwright
ENV LABELWRIGHT_ADDR=0.0.0.0:8080
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["/labelwright", "health"]
ENTRYPOINT ["/labelwright"]
CMD ["serve"]
