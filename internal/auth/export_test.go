package auth

// LoginProof returns the proof of a client with a login, for tests without a KDC.
func LoginProof(l login, service string) *Proof {
	return &Proof{login: l, service: service, file: l.String()}
}
