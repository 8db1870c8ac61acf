/dev/fd/3: line 105: hsh: command not found
