import KithCommands

await KithCommandLine.main()
