package main

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/labelwright/labelwright/internal/dataset"
	"github.com/labelwright/labelwright/internal/postgres"
	"github.com/labelwright/labelwright/web/api"
)

// exportPoll is the time between two looks at an export that a server writes.
const exportPoll = time.Second

// download has a server write the dataset, and writes its files to the folder.
func (e exportCommand) download(ctx runContext, client *api.Client, s streams) (err error) {
	folder, err := openExportFolder(e.Out)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.close()) }()
	options := e.options(s)
	in := api.ProjectBody[api.ExportOptions]{ProjectPath: projectPath(e.Project),
		Body: api.NewExportOptions(options)}
	export, err := api.ExportDataset.Call(ctx, client, in)
	if err != nil {
		return err
	}
	path := api.ExportPath{ProjectPath: in.ProjectPath, Export: export.ID}
	defer func() { // the server keeps no copy
		_, deleteErr := api.DeleteExport.Call(context.WithoutCancel(ctx), client, path)
		err = errors.Join(err, deleteErr)
	}()
	for export.State == postgres.ExportRunning {
		options.OnProgress(export.Done, export.Total)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(exportPoll):
		}
		if export, err = api.ShowExport.Call(ctx, client, path); err != nil {
			return err
		}
	}
	if export.State != postgres.ExportReady {
		return fmt.Errorf("the server wrote no dataset: %s", export.Problem)
	}
	packed, err := folder.receive(api.DownloadExport.Open(ctx, client, path))
	if err != nil {
		return err
	}
	if err := folder.unpack(packed); err != nil {
		return err
	}
	manifest, err := os.ReadFile(filepath.Join(folder.staging, dataset.ManifestName))
	if err != nil {
		return fmt.Errorf("read the manifest: %w", err)
	}
	m, err := dataset.ReadManifest(manifest)
	if err != nil {
		return err
	}
	if err := folder.replace(); err != nil {
		return err
	}
	return e.printSummary(s, m)
}

// receive stores a download, and returns the path of its file.
func (f *exportFolder) receive(file io.ReadCloser, err error) (path string, _ error) {
	if err != nil {
		return "", err
	}
	defer file.Close()
	path = filepath.Join(f.staging, ".zip")
	out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", fmt.Errorf("store the download: %w", err)
	}
	_, err = io.Copy(out, file)
	return path, errors.Join(err, out.Close())
}

// unpack writes the files of a zip file.
func (f *exportFolder) unpack(path string) error {
	z, err := zip.OpenReader(path)
	if err != nil {
		return fmt.Errorf("read the download: %w", err)
	}
	defer z.Close()
	for _, packed := range z.File {
		if packed.Name != filepath.Base(packed.Name) {
			return fmt.Errorf("the download has a file with the name %q", packed.Name)
		}
		err := f.writeFile(packed.Name, func(w io.Writer) error {
			content, err := packed.Open()
			if err != nil {
				return err
			}
			defer content.Close()
			_, err = io.CopyN(w, content, int64(packed.UncompressedSize64)) // #nosec G115 -- a size
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
