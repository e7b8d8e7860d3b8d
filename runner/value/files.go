package value

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// maxStream bounds what is read from a file whose size is not known beforehand, such as a pipe: 64 MiB.
const maxStream = 64 << 20

// ReadFile reads an array from a file: from .npy files with the type they say, from all others as raw bytes. A zero t keeps
// the file's type (u8 for raw bytes); a count below 0 is as many as the file holds. The error is an *Error or a
// *BudgetError.
func (p *Parser) ReadFile(name string, t Type, count int) (*Array, error) {
	data, err := p.readAll(name)
	if err != nil {
		return nil, err
	}
	var a *Array
	if strings.EqualFold(filepath.Ext(name), ".npy") {
		a, err = decodeNpy(data, t, count)
	} else {
		if t == (Type{}) {
			t = Of(U8)
		}
		a, err = fromBytes(data, t, count)
	}
	if err != nil {
		return nil, &Error{Message: name, Err: err}
	}
	return a, nil
}

func (p *Parser) readAll(name string) ([]byte, error) {
	open := p.Open
	if open == nil {
		open = func(name string) (fs.File, error) { return os.Open(name) }
	}
	if name == "" {
		return nil, &Error{Message: "a file name is missing after @"}
	}
	f, err := open(name)
	if err != nil {
		return nil, fileError(name, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fileError(name, err)
	}
	if info.IsDir() {
		return nil, &Error{Message: name + " is a folder", Try: "the name of a .npy file, or of a file of raw bytes"}
	}
	limit := uint64(info.Size())
	if !info.Mode().IsRegular() {
		limit = maxStream
	} else if err := p.Budget.Take(limit); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, int64(limit)+1))
	if err != nil {
		return nil, fileError(name, err)
	}
	if uint64(len(data)) > limit {
		return nil, &Error{Message: fmt.Sprintf("%s gives more than the %s expected", name, bytesText(limit))}
	}
	if !info.Mode().IsRegular() {
		if err := p.Budget.Take(uint64(len(data))); err != nil {
			return nil, err
		}
	}
	return data, nil
}

func fileError(name string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return &Error{Message: "cannot read " + name, Err: err}
}

// Save writes the array to a file: .npy files with their header, all others as raw bytes. The file appears complete or not
// at all.
func (a *Array) Save(name string) error {
	return WriteFile(name, func(w io.Writer) error {
		if strings.EqualFold(filepath.Ext(name), ".npy") {
			return a.WriteNpy(w)
		}
		_, err := w.Write(a.Data)
		return err
	})
}

// WriteFile writes a file through a temporary one beside it, which takes its place when all has been written, so that
// nobody sees half a file. What is no regular file, such as /dev/stdout, is written directly.
func WriteFile(name string, write func(io.Writer) error) (err error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		if info.IsDir() {
			return &Error{Message: "cannot write " + name + ", it is a folder"}
		}
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return writeError(name, err)
		}
		return writeError(name, errors.Join(write(f), f.Close()))
	}
	mode := fs.FileMode(0o666)                                  // less the umask
	if target, err := filepath.EvalSymlinks(name); err == nil { // keep a link to the file
		name = target
		if info, err := os.Stat(name); err == nil {
			mode = info.Mode().Perm()
		}
	}
	temp := filepath.Join(filepath.Dir(name), fmt.Sprintf(".%s.%d-%d", filepath.Base(name), os.Getpid(), time.Now().UnixNano()))
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return writeError(name, err)
	}
	defer func() {
		if err != nil {
			os.Remove(temp)
		}
	}()
	if err := errors.Join(write(f), f.Sync(), f.Close()); err != nil {
		return writeError(name, err)
	}
	return writeError(name, os.Rename(temp, name))
}

func writeError(name string, err error) error {
	if err == nil {
		return nil
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return &Error{Message: "cannot write " + name, Err: err}
}
