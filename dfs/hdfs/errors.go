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

// kinds maps the classes of a NameNode's exceptions to kinds of failure.
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

// texts maps parts of exception texts to kinds of failure. It is for exceptions whose class does
// not determine the kind. An empty class means any class.
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

// remedies maps the classes of exceptions, or the parts in texts, to remedies.
var remedies = map[string]string{
	"SIMPLE authentication is not enabled": "the cluster requires Kerberos: set hadoop.security.authentication=kerberos " +
		"and kinit",

	"SafeModeException": "wait until the NameNode leaves safe mode, or ask an administrator to end it",
	"AlreadyBeingCreatedException": "another client writes the file; wait until it closes the file, or for a minute " +
		"if it died",
	"RecoveryInProgressException": "the NameNode is closing the file of a writer that died; try again in a few seconds",
	"NSQuotaExceededException":    "delete files, or ask an administrator to raise the quota of names",
	"DSQuotaExceededException":    "delete files, or ask an administrator to raise the space quota",
}

// wrap converts err to a *failure.Error. If err is nil or already wraps a *failure.Error, wrap
// returns err itself.
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
		return failure.Unreachable, "check that the NameNode runs and that the address has its RPC port"
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

// is reports whether err is an exception of the given class from a NameNode.
func is(err error, class string) bool {
	var f *namenode.Failed
	return errors.As(err, &f) && f.Class == class
}

// uncertain reports whether err means that the answer to a call was lost, so that the NameNode may
// have executed the call.
func uncertain(err error) bool {
	var f *namenode.Failed
	return errors.As(err, &f) && f.Uncertain
}

// begin returns an error if ctx has ended or one of the names is invalid.
func begin(ctx context.Context, op string, names ...string) error {
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return failure.New(failure.KindOf(err), op, name, err)
		}
		if !strings.HasPrefix(name, "/") || strings.ContainsRune(name, 0) {
			return failure.New(failure.Usage, op, name, errors.New("the path must be absolute and must not contain zero bytes"))
		}
		if i := badElement(name); i != "" {
			return failure.New(failure.Usage, op, name, fmt.Errorf("%q cannot be part of a name in HDFS", i))
		}
	}
	return nil
}

// badElement returns the part of name that a NameNode would reject: an element "." or "..", or a
// colon. It returns "" if there is none.
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
