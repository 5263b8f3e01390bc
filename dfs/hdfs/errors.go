package hdfs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/howdah/howdah/dfs/hdfs/namenode"
	"github.com/howdah/howdah/dfs/hdfs/rpc"
	"github.com/howdah/howdah/job/failure"
)

// kinds gives the kind of each exception of a NameNode.
var kinds = map[string]failure.Kind{
	"FileNotFoundException":                 failure.NotFound,
	"PathNotFoundException":                 failure.NotFound,
	"ParentNotDirectoryException":           failure.NotFound,
	"FileAlreadyExistsException":            failure.Exists,
	"AlreadyBeingCreatedException":          failure.Exists,
	"RecoveryInProgressException":           failure.Exists,
	"PathIsNotEmptyDirectoryException":      failure.Exists,
	"AccessControlException":                failure.Permission,
	"SnapshotAccessControlException":        failure.Permission,
	"AuthorizationException":                failure.Permission,
	"NSQuotaExceededException":              failure.DiskFull,
	"DSQuotaExceededException":              failure.DiskFull,
	"QuotaByStorageTypeExceededException":   failure.DiskFull,
	"SafeModeException":                     failure.Unreachable,
	"StandbyException":                      failure.Unreachable,
	"RetriableException":                    failure.Unreachable,
	"InvalidPathException":                  failure.Usage,
	"HadoopIllegalArgumentException":        failure.Usage,
	"IllegalArgumentException":              failure.Usage,
	"PathComponentTooLongException":         failure.Usage,
	"UnsupportedOperationException":         failure.Usage,
	"UnresolvedPathException":               failure.Usage,
	"SnapshotException":                     failure.Usage,
	"UnknownCryptoProtocolVersionException": failure.Usage,
	"RpcNoSuchProtocolException":            failure.Config,
	"RpcNoSuchMethodException":              failure.Config,
}

// texts are what tells exceptions of one class apart.
var texts = []struct {
	class, part string
	kind        failure.Kind
}{
	{"FileNotFoundException", "Path is not a file", failure.Usage},
	{"FileNotFoundException", "Path is not a directory", failure.Usage},
	{"FileNotFoundException", "does not exist or is not a directory", failure.NotFound},
	{"AccessControlException", "(is not a directory)", failure.NotFound},
	{"AccessControlException", "SIMPLE authentication is not enabled", failure.Config},
	{"", "could only be written to 0 of the", failure.DiskFull},
	{"", "is a directory or file under", failure.Usage},
	{"", "under source", failure.Usage},
	{"", "must both be directories", failure.Exists},
	{"", "is non empty", failure.Exists},
	{"", "Invalid source", failure.Usage},
	{"", "Specified block size is less than", failure.Usage},
	{"", "Requested replication factor", failure.Usage},
}

// remedies say what can be done about some exceptions, and about some texts.
var remedies = map[string]string{
	"SIMPLE authentication is not enabled": "the cluster wants Kerberos: set hadoop.security.authentication=kerberos and kinit",

	"SafeModeException":            "wait until the NameNode has left safe mode, or have an administrator end it",
	"AlreadyBeingCreatedException": "another client writes the file; wait until it has closed it, or a minute if it has died",
	"RecoveryInProgressException":  "the file of a writer that died is being closed; try again in some seconds",
	"NSQuotaExceededException":     "delete files, or have the quota of names raised",
	"DSQuotaExceededException":     "delete files, or have the space quota raised",
}

// wrap makes a *failure.Error of whatever failed.
func wrap(op, name string, err error) error {
	var done *failure.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &done):
		return err
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	kind, remedy := classify(err)
	return failure.New(kind, op, name, err).Fix(remedy)
}

func classify(err error) (failure.Kind, string) {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return failure.KindOf(err), ""
	}
	var call *namenode.Failed
	if errors.As(err, &call) {
		return classifyCall(call)
	}
	if kind := failure.KindOf(err); kind != failure.Unknown {
		return kind, ""
	}
	return failure.IO, ""
}

func classifyCall(f *namenode.Failed) (failure.Kind, string) {
	var lost *rpc.LostError
	if errors.As(f, &lost) {
		return failure.Unreachable, "check that the NameNode runs and that the address is the one of its RPC port"
	}
	if f.Class == "" {
		if kind := failure.KindOf(f.Err); kind != failure.Unknown {
			return kind, ""
		}
		return failure.IO, ""
	}
	for _, t := range texts {
		if (t.class == "" || t.class == f.Class) && strings.Contains(f.Err.Error(), t.part) {
			return t.kind, cmp.Or(remedies[t.part], remedies[f.Class])
		}
	}
	if kind, ok := kinds[f.Class]; ok {
		return kind, remedies[f.Class]
	}
	return failure.IO, remedies[f.Class]
}

// is reports whether a NameNode threw an exception of the class.
func is(err error, class string) bool {
	var f *namenode.Failed
	return errors.As(err, &f) && f.Class == class
}

// uncertain reports whether the call that failed may have been executed before.
func uncertain(err error) bool {
	var f *namenode.Failed
	return errors.As(err, &f) && f.Uncertain
}

// begin refuses what no call can work with.
func begin(ctx context.Context, op string, names ...string) error {
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return failure.New(failure.KindOf(err), op, name, err)
		}
		if !strings.HasPrefix(name, "/") || strings.ContainsRune(name, 0) {
			return failure.New(failure.Usage, op, name, errors.New("the path must be absolute and without zero bytes"))
		}
		if i := badElement(name); i != "" {
			return failure.New(failure.Usage, op, name, fmt.Errorf("%q cannot be part of a name in HDFS", i))
		}
	}
	return nil
}

// badElement gives what a NameNode refuses in names.
func badElement(name string) string {
	for _, e := range strings.Split(name, "/") {
		switch {
		case e == "." || e == "..":
			return e
		case strings.Contains(e, ":"):
			return ":"
		}
	}
	return ""
}
