package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// docker returns the system for which the local Docker builds images, such as "linux/amd64".
func docker(ctx context.Context) (string, error) {
	out, err := run(ctx, ".", nil, "docker", "version", "--format", "{{.Server.Os}}/{{.Server.Arch}}")
	if err != nil {
		return "", fmt.Errorf("cannot make images: Docker does not answer: %w. "+
			"Start its daemon, or make a release without images with IMAGES=no", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// images builds the container images from the checkout dir for a platform of docker. It runs a job on
// a minicluster in each image, and returns the images in the form that docker load reads. They are not
// reproducible, because their base images change.
func images(ctx context.Context, version, platform, dir string, notices []byte) (map[string][]byte, error) {
	system, arch, _ := strings.Cut(platform, "/")
	if err := os.Mkdir(filepath.Join(dir, "dist"), 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "dist", noticesFile), notices, 0o644); err != nil {
		return nil, err
	}
	fmt.Fprintln(os.Stderr, "building images in", dir)
	// The images go to dist, so Docker does not keep them.
	defer func() {
		_, _ = run(context.WithoutCancel(ctx), dir, nil, "docker", "image", "rm", "howdah:"+version, "howdah-hdfs:"+version)
	}()
	if _, err := run(ctx, dir, []string{"GOOS=" + system, "GOARCH=" + arch}, "make", "images", "VERSION="+version,
		"TAGS="+version); err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for image, name := range map[string]string{"howdah": "image", "howdah-hdfs": "hdfs-image"} {
		image += ":" + version
		said, err := run(ctx, dir, nil, "docker", "run", "--rm", "--init", "--network", "none", image, "sh", "-c",
			"howdah version && howdah minicluster --tasktrackers 1 -- howdah run pi 2 10")
		if err != nil {
			return nil, err
		}
		if !strings.HasPrefix(string(said), "howdah "+version+"\n") {
			return nil, fmt.Errorf("the program in the image %s is %q", image, said)
		}
		saved, err := run(ctx, dir, nil, "docker", "save", image)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write(saved); err != nil {
			return nil, err
		}
		if err := z.Close(); err != nil {
			return nil, err
		}
		files[fmt.Sprintf("howdah-%s-%s-%s-%s.tar.gz", version, name, system, arch)] = b.Bytes()
	}
	return files, nil
}
