// Command vsh runs bash scripts over a virtual filesystem.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/vsh-project/vsh/shell"
)

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(signalDelay, func() {
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
		<-signals
		cancel()
	})
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// signalDelay is how long a signal just ends the process. Catching them takes
// threads of its own, half a millisecond that a short script need not pay.
const signalDelay = 3 * time.Millisecond

// run is the program but for its process: it returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		if sub := subcommand(args[0]); sub != nil {
			return sub(ctx, args[1:], stdin, stdout, stderr)
		}
	}
	o, err := parseArguments(args)
	switch {
	case errors.Is(err, errHelp):
		fmt.Fprint(stdout, help)
		return 0
	case errors.Is(err, errVersion):
		fmt.Fprintln(stdout, "vsh 0.1")
		return 0
	case err != nil:
		return usage(stderr, err)
	}
	defer o.host.close()
	options, err := o.shellOptions(ctx, stderr)
	if err != nil {
		return usage(stderr, err)
	}
	request, err := o.request(stdin)
	if err != nil {
		fmt.Fprintf(stderr, "vsh: %v\n", err)
		return noScript(err)
	}
	streams := !o.json && !o.maxOutputSet
	if streams {
		request.Stdout, request.Stderr = stdout, stderr
	}
	sh, err := shell.New(options)
	if err != nil {
		return usage(stderr, err)
	}
	result, err := sh.Exec(ctx, request)
	if err != nil {
		if ctx.Err() != nil {
			return 130
		}
		fmt.Fprintf(stderr, "vsh: %v\n", err)
		return 2
	}
	switch {
	case o.json:
		encoder := json.NewEncoder(stdout)
		encoder.SetEscapeHTML(false)
		err = encoder.Encode(result)
	case !streams:
		_, err = io.WriteString(stdout, result.Stdout)
		io.WriteString(stderr, result.Stderr)
	}
	if err == nil {
		err = o.workspace.finish(ctx, result, options.MountPoint, stderr)
	}
	if err != nil {
		fmt.Fprintf(stderr, "vsh: %v\n", err)
		return 1
	}
	return result.ExitCode
}

func usage(stderr io.Writer, err error) int {
	fmt.Fprintf(stderr, "vsh: %v\n", err)
	return 2
}

// noScript is bash's status for a script file that can't be read.
func noScript(err error) int {
	if errors.Is(err, os.ErrNotExist) {
		return 127
	}
	return 126
}

// subcommand is the part of the program that a first word names, or nil. A
// script file of such a name runs as ./NAME.
func subcommand(name string) func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	switch name {
	case "tools":
		return tools
	case "mcp":
		return mcpCommand
	case "tool":
		return toolCommand
	}
	return nil
}
