package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/internal/acl"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/passwd"
	"github.com/howdah/howdah/job/failure"
	"github.com/howdah/howdah/mrcluster"
	"github.com/howdah/howdah/mrcluster/status"
)

// KeyCreate is the configuration key of the users who may create MR-clusters.
const KeyCreate = "howdah.mrcluster.create.acl"

// Rights determines what users with a token or a Kerberos login may do. With the zero value, only
// callers with every right (see all) may create MR-clusters.
type Rights struct {
	Acting   *auth.Acting // who may create MR-clusters for which other users
	Creators acl.List     // who may create MR-clusters
	Admins   acl.List     // who may create, use, grow, and remove all MR-clusters
	Most     int64        // how many MR-clusters users may create for one user; 0 means no limit
}

func rightsConf(r *conf.Reader) Rights {
	return Rights{auth.NewActing(r.Conf), acl.Parse(conf.MRClusterCreateACL.Get(r.Conf)),
		acl.Parse(conf.ClusterAdministrators.Get(r.Conf)), conf.MRClusterUserMaximum.From(r)}
}

// all reports whether a caller has every right to every MR-cluster. The manager's own user does,
// just as the JobTracker's user has all rights to jobs (acl.Rules.Admin).
func (r *Rights) all(p auth.Principal) bool {
	return p.Admin || p.User == passwd.Me() || r.Admins.Has(p.User)
}

// owner checks that the caller may create an MR-cluster, and returns its owner. name is the user in
// the request.
func (r *Rights) owner(ctx context.Context, cluster, name string) (string, error) {
	if p := auth.From(ctx); !r.all(p) && !r.Creators.Has(p.User) {
		return "", failure.New(failure.Permission, "create MR-cluster", cluster,
			errors.New(p.String()+" may not create MR-clusters")).
			Fix("ask an administrator to create it for you, or to list you in " + conf.MRClusterCreateACL.Name +
				" of the manager")
	}
	owner, err := r.Acting.For(ctx, name)
	return cmp.Or(owner, passwd.Me()), err
}

// room returns an error of kind Limit if a user's request would give its owner too many MR-clusters.
func (r *Rights) room(p auth.Principal, s *mrcluster.Spec, all []mrcluster.ClusterView) error {
	n := int64(0)
	for i := range all {
		if c := &all[i].Spec; c.User == s.User && c.Name != s.Name {
			n++
		}
	}
	if r.Most == 0 || n < r.Most || r.all(p) {
		return nil
	}
	return failure.New(failure.Limit, "create MR-cluster", s.Name, fmt.Errorf("user %s has %d MR-clusters", s.User, n)).
		Fix("remove one, or ask an administrator to raise " + conf.MRClusterUserMaximum.Name + " of the manager")
}

// owns reports whether a caller may grow or remove an MR-cluster, and mayUse whether it may run jobs there.
func (r *Rights) owns(p auth.Principal, s *mrcluster.Spec) bool {
	return r.all(p) || p.User == cmp.Or(s.User, passwd.Me())
}

func (r *Rights) mayUse(p auth.Principal, s *mrcluster.Spec) bool {
	return r.all(p) || acl.Parse(s.Users(passwd.Me())).Has(p.User)
}

// notYours returns the error for a caller who lacks the right to perform an action on an
// MR-cluster.
func notYours(op string, p auth.Principal, s *mrcluster.Spec, fix string) error {
	return failure.New(failure.Permission, op, s.Name,
		errors.New("it belongs to user "+cmp.Or(s.User, passwd.Me())+", not to "+p.String())).Fix(fix)
}

// untold replaces a reason that a caller may not see. Reasons contain paths.
const untold = "only its users and administrators can see the reason"

// hide removes from the state of the pool what a caller may not see. Only users who may use an
// MR-cluster may see its settings, its paths, and the reasons for what happens to it.
func (r *Rights) hide(p auth.Principal, all *status.Pool) {
	uses := map[string]bool{}
	for _, c := range all.Clusters {
		s := &c.Spec
		s.User = cmp.Or(s.User, passwd.Me())
		if uses[s.Name] = r.mayUse(p, s); !uses[s.Name] {
			*s = mrcluster.Spec{Name: s.Name, Core: s.Core, Grow: s.Grow, HDFS: s.HDFS, User: s.User}
		}
	}
	hide := func(cluster string, reason *string) {
		if *reason != "" && !uses[cluster] && !r.all(p) {
			*reason = untold
		}
	}
	for _, c := range all.Clusters {
		hide(c.Spec.Name, &c.LastError)
	}
	for _, n := range all.Nodes {
		hide(n.Cluster, &n.Problem)
	}
	for _, e := range all.Events {
		hide(e.Cluster, &e.Reason)
	}
}
