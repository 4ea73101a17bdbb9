# One static binary. PostgreSQL runs in its own container: see docker-compose.yml.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /labelwright ./cmd/labelwright

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /labelwright /labelwright
ENV LABELWRIGHT_ADDR=0.0.0.0:8080
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["/labelwright", "health"]
ENTRYPOINT ["/labelwright"]
CMD ["serve"]
