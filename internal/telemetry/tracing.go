package telemetry

import (
	"context"
	"fmt"
	"net/url"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// newTracerProvider returns a provider that sends spans over OTLP, in batches. The usual
// OTEL_ environment variables set headers, sampling and attributes.
func newTracerProvider(ctx context.Context, o Options) (*sdktrace.TracerProvider, error) {
	endpoint, err := url.Parse(o.OTLP)
	if err != nil || endpoint.Host == "" || endpoint.Scheme != "http" && endpoint.Scheme != "https" {
		return nil, fmt.Errorf("%q is not the address of a collector. Use one such as http://127.0.0.1:4318", o.OTLP)
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(endpoint.JoinPath("v1", "traces").String()))
	if err != nil {
		return nil, err
	}
	service, err := resource.Merge(
		resource.NewSchemaless(attribute.String("service.name", "labelwright"), attribute.String("service.version", o.Version)), resource.Environment())
	if err != nil {
		return nil, err
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { o.Log.Warn("traces not sent", "error", err) }))
	return sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(service)), nil
}
