package kerberos

import (
	"errors"
	"strings"

	"github.com/howdah/howdah/job/failure"
)

// explanations maps parts of a KDC's or server's error text to a kind and a remedy. The library
// returns only error messages, not error codes.
var explanations = []struct {
	text   string
	kind   failure.Kind
	remedy string
}{
	{"KDC_ERR_S_PRINCIPAL_UNKNOWN", failure.Config, "the realm does not know this service: correct the principal " +
		"(dfs.namenode.kerberos.principal, mapreduce.jobtracker.kerberos.principal), or use the server's host name " +
		"instead of its address"},
	{"KDC_ERR_C_PRINCIPAL_UNKNOWN", failure.Config, "the realm does not know this user: correct the principal"},
	{"KDC_ERR_PREAUTH_FAILED", failure.Permission, "the key does not match: fetch a new keytab"},
	{"KRB_AP_ERR_SKEW", failure.Config,
		"set the clocks of this machine, the KDC and the server (at most 5 minutes apart)"},
	{"clock skew", failure.Config, "set the clocks of this machine, the KDC and the server (at most 5 minutes apart)"},
	{"KRB_AP_ERR_TKT_EXPIRED", failure.Permission, "kinit"},
	{"KRB_AP_ERR_TKT_NYV", failure.Config, "the ticket is not valid yet: set the clocks"},
	{"KDC_ERR_CLIENT_REVOKED", failure.Permission,
		"the user is locked or has expired: ask the administrator of the realm"},
	{"KDC_ERR_KEY_EXPIRED", failure.Permission, "the password has expired: change it (kpasswd)"},
	{"KDC_ERR_ETYPE_NOSUPP", failure.Config, "allow an AES encryption type (permitted_enctypes in krb5.conf)"},
	{"KDC_ERR_NULL_KEY", failure.Config, "the principal has no key: ask the administrator of the realm"},
	{"KRB_AP_ERR_NOKEY", failure.Config, "the server's keytab lacks the key of the ticket: renew the keytab, or call " +
		"the server by the host name in its keytab"},
	{"KRB_AP_ERR_NOT_US", failure.Config, "the server has another principal: correct " +
		"mapreduce.jobtracker.kerberos.principal or howdah.mrcluster.manager.kerberos.principal on both sides"},
	{"KRB_AP_ERR_REPEAT", failure.Unreachable, "try again"},
	{"KRB_AP_ERR_BADADDR", failure.Permission, "get a ticket without addresses (kinit -A)"},
	{"KRB_AP_ERR_METHOD", failure.Config, "allow an AES encryption type (permitted_enctypes in krb5.conf)"},
	{"KRB_AP_ERR_MODIFIED", failure.Config, "the server's keytab and the KDC have different keys: renew the keytab"},
	{"KRB_AP_ERR_BAD_INTEGRITY", failure.Config, "a key does not match: renew the keytab of the server or of this client"},
	{"no KDC SRV records", failure.Config, "name a kdc for the realm in krb5.conf"},
	{"no KDCs defined", failure.Config, "name a kdc for the realm in krb5.conf"},
	{"Networking_Error", failure.Unreachable, "start the KDC, or correct its address in krb5.conf"},
	{"communication error with KDC", failure.Unreachable, "start the KDC, or correct its address in krb5.conf"},
	{"failed to communicate with KDC", failure.Unreachable, "start the KDC, or correct its address in krb5.conf"},
}

// explain converts err to a *failure.Error. err is the reason why l could not get a ticket for
// service.
func explain(err error, l *Login, service string) error {
	var ours *failure.Error
	if errors.As(err, &ours) {
		return err
	}
	e := remedied(failure.New(failure.KindOf(err), "get a ticket for "+service+" as", l.String(), plain(err)), err.Error())
	if e.Kind == failure.Unknown {
		e.Kind = failure.Permission
	}
	return e
}

// remedied sets the kind and the remedy of e if explanations contains a part of text. It returns e.
func remedied(e *failure.Error, text string) *failure.Error {
	for _, x := range explanations {
		if strings.Contains(text, x.text) {
			e.Kind = x.kind
			return e.Fix(x.remedy)
		}
	}
	return e
}

// plain returns an error with only the last part of err's text, which is the cause. The parts
// before it repeat the cause.
func plain(err error) error {
	text := err.Error()
	if i := strings.LastIndex(text, " < "); i >= 0 {
		text = text[i+3:]
	}
	return errors.New(strings.TrimSpace(text))
}
