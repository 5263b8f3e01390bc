// Command protogen generates Go code from the .proto files in internal/wire without protoc. It
// compiles them with protocompile and passes the result to the standard plugins, protoc-gen-go and
// protoc-gen-go-grpc, which run as tools of this module.
//
//	go run -C build/tools ./protogen            # what "make gen" runs
//
// It generates no gRPC code for a file without a service. Therefore, internal/wire/umbilical, which
// every task child loads, does not import gRPC. It leaves out the getters that no Go file of the
// repository mentions. After the first use of a getter, run it again.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/linker"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

const module = "github.com/howdah/howdah"

func main() {
	root := flag.String("root", "../..", "root of the repository")
	flag.Parse()
	if err := run(*root); err != nil {
		fmt.Fprintln(os.Stderr, "protogen:", err)
		os.Exit(1)
	}
}

func run(root string) error {
	files, err := compile(root)
	if err != nil {
		return err
	}
	called, err := mentioned(root)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := plugin("protoc-gen-go", root, f, called); err != nil {
			return err
		}
		if f.Services().Len() > 0 {
			if err := plugin("protoc-gen-go-grpc", root, f, called); err != nil {
				return err
			}
		}
	}
	return nil
}

// compile compiles the .proto files in internal/wire. It keeps the source information so that the
// Go code contains the comments.
func compile(root string) (linker.Files, error) {
	names, err := filepath.Glob(filepath.Join(root, "internal/wire/*.proto"))
	if err != nil {
		return nil, err
	}
	for i, name := range names {
		if names[i], err = filepath.Rel(root, name); err != nil {
			return nil, err
		}
	}
	compiler := protocompile.Compiler{
		Resolver:       &protocompile.SourceResolver{ImportPaths: []string{root}},
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	return compiler.Compile(context.Background(), names...)
}

// plugin runs the generator with the given name on f and writes the generated files below root,
// without the getters that are not in called.
func plugin(name, root string, f linker.File, called map[string]bool) error {
	request := &pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{f.Path()},
		Parameter:      proto.String("module=" + module),
		ProtoFile:      dependenciesFirst(f),
	}
	in, err := proto.Marshal(request)
	if err != nil {
		return err
	}
	cmd := exec.Command("go", "tool", name)
	cmd.Stdin = bytes.NewReader(in)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s %s: %w", name, f.Path(), err)
	}
	var response pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(out, &response); err != nil {
		return fmt.Errorf("%s %s: answer: %w", name, f.Path(), err)
	}
	if response.Error != nil {
		return fmt.Errorf("%s %s: %s", name, f.Path(), *response.Error)
	}
	return write(root, response.File, called)
}

// dependenciesFirst returns f and all its imports, in the order that plugins require: each file
// follows the files that it imports.
func dependenciesFirst(f linker.File) []*descriptorpb.FileDescriptorProto {
	var list []*descriptorpb.FileDescriptorProto
	seen := map[string]bool{}
	var add func(linker.File)
	add = func(f linker.File) {
		if seen[f.Path()] {
			return
		}
		seen[f.Path()] = true
		imports := f.Imports()
		for i := range imports.Len() {
			path := imports.Get(i).Path()
			if dependency := f.FindImportByPath(path); dependency != nil {
				add(dependency)
			}
		}
		list = append(list, toProto(f))
	}
	add(f)
	return list
}

func toProto(f linker.File) *descriptorpb.FileDescriptorProto {
	if result, ok := f.(linker.Result); ok {
		return protoutil.ProtoFromFileDescriptor(result)
	}
	return protodesc.ToFileDescriptorProto(f)
}

func write(root string, files []*pluginpb.CodeGeneratorResponse_File, called map[string]bool) error {
	for _, file := range files {
		path := filepath.Join(root, file.GetName())
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		text, err := lean(file.GetContent(), called)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
		fmt.Println(path)
	}
	return nil
}
