// Package health serves gRPC's health protocol (grpc.health.v1), without its Watch call.
package health

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

// Desc describes the service. A client that calls Watch learns that the call is not implemented.
var Desc = func() grpc.ServiceDesc {
	d := grpc_health_v1.Health_ServiceDesc
	d.Streams = nil
	return d
}()

// Server is what Register needs of a gRPC server.
type Server interface {
	grpc.ServiceRegistrar
	GetServiceInfo() map[string]grpc.ServiceInfo
}

// Register adds the service to s. All services of s are SERVING while serves returns true, and
// NOT_SERVING otherwise. serves must be safe for concurrent use.
func Register(s Server, serves func() bool) {
	s.RegisterService(&Desc, &service{s: s, serves: serves})
}

type service struct {
	grpc_health_v1.UnimplementedHealthServer
	s      Server
	serves func() bool
}

func (h *service) state() *grpc_health_v1.HealthCheckResponse {
	if h.serves() {
		return &grpc_health_v1.HealthCheckResponse{Status: grpc_health_v1.HealthCheckResponse_SERVING}
	}
	return &grpc_health_v1.HealthCheckResponse{Status: grpc_health_v1.HealthCheckResponse_NOT_SERVING}
}

// Check returns the state of a service, or of the server if the name is "".
func (h *service) Check(_ context.Context, r *grpc_health_v1.HealthCheckRequest) (
	*grpc_health_v1.HealthCheckResponse, error) {
	if _, known := h.s.GetServiceInfo()[r.Service]; !known && r.Service != "" {
		return nil, status.Error(codes.NotFound, "unknown service")
	}
	return h.state(), nil
}

// List returns the states of all services.
func (h *service) List(context.Context, *grpc_health_v1.HealthListRequest) (
	*grpc_health_v1.HealthListResponse, error) {
	all := map[string]*grpc_health_v1.HealthCheckResponse{}
	for name := range h.s.GetServiceInfo() {
		all[name] = h.state()
	}
	return &grpc_health_v1.HealthListResponse{Statuses: all}, nil
}
