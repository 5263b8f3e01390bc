package rpc

import (
	"context"
	"errors"
	"path"
	"strings"

	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/job/failure"
)

// callers is a set of kinds of callers. Administrators belong to every set.
type callers uint8

const (
	admins callers = 0
	// users may call a method for themselves. The method checks the name in a request (auth.Acting).
	users callers = 1 << iota
	// nodes may call a method for themselves. The method checks the node's name.
	nodes
	// listed are the daemon's own user and the users in a list in its configuration. The method
	// checks this.
	listed
	// owners are users who may call a method for what belongs to them. The method checks this.
	owners
	// logins are users with a Kerberos login. The method checks the name in a request.
	logins
)

// anyUser contains all users, because the methods check the rest.
const anyUser = users | listed | owners

// rights lists who may call each method of each service. A server rejects calls to methods that are
// not listed. The names omit the prefix that all services share.
var rights = map[string]map[string]callers{
	"client.Jobs": {
		"NewJob": users, "Submit": users, "Status": users, "List": users, "Kill": users, "SetPriority": users,
		"SetDeadline": users, "Move": users, "KillAttempt": users, "Events": users, "Cluster": users, "Queues": users,
		"Scheduler": users, "SafeMode": users, "RefreshNodes": listed, "RefreshQueues": listed, "SetScheduler": listed,
		"DrainTracker": listed, "TakeJobs": listed,
	},
	"tracker.Trackers": {
		"Register": nodes, "Beat": nodes, "WaitForWork": nodes, "GetJob": nodes, "GetSkips": nodes, "GetUnclean": nodes,
		"GetAdministrators": nodes, "CanCommit": nodes, "Completions": nodes, "Leave": nodes,
	},
	"pool.Pool": {
		"Report": nodes, "Job": owners, "Status": users, "Create": listed, "Remove": owners, "Grow": owners,
	},
	"token.Tokens": {
		"Create": logins, "List": admins, "Revoke": admins, "Certify": users | nodes,
		"Check": nodes,
	},
	"/grpc.health.v1.Health": {"Check": users | nodes, "List": users | nodes},
}

const servicePrefix = "/howdah."

// permit returns an error of kind Permission unless the caller may call the given method of this
// server. method has the form /SERVICE/METHOD.
func (o Options) permit(ctx context.Context, method string) error {
	service, name := path.Split(strings.TrimPrefix(method, servicePrefix))
	service = strings.TrimSuffix(service, "/")
	may, known := rights[service][name]
	p := auth.From(ctx)
	switch {
	case known && p.Admin, p.Node != "" && may&nodes != 0:
		return nil
	case p.User != "" && (may&anyUser != 0 || auth.Login(ctx) && may&logins != 0):
		if o.MayCall == nil || o.MayCall(p.User) {
			return nil
		}
		return failure.New(failure.Permission, "call", name, errors.New(p.String()+" may not use this daemon")).
			Fix("ask an administrator to list you in security.job.client.protocol.acl of the daemon")
	}
	why := p.String() + " may not make this call"
	if may == admins {
		why += ", only administrators may"
	}
	service = service[strings.LastIndexByte(service, '.')+1:]
	return failure.New(failure.Permission, "call", service+"."+name, errors.New(why)).Fix(o.remedy(may))
}

// remedy returns the remedy for a rejected call. may is the set of callers who may make the call.
func (o Options) remedy(may callers) string {
	login := ""
	if o.Logins != nil {
		login = ", or log in with Kerberos"
	}
	switch {
	case may&nodes != 0:
		return "use the secret, or a token of a node (howdah token create --node HOST)" + login
	case may&anyUser != 0:
		return "use the secret, or a token of a user (howdah token create USER)" + login
	case may != logins:
		login = ""
	}
	return "use the secret (howdah.security.secret.file), or a token of an administrator (howdah token create --admin)" +
		login
}
