/// What a shell reads so that it completes command lines of `kith`. All scripts do the same: they
/// hand the words to `kith complete` and show what comes back.
enum CompletionScript: String, CaseIterable {
  case bash, zsh, fish

  /// The text of the script.
  var text: String {
    switch self {
    case .bash: Self.bashText
    case .zsh: Self.zshText
    case .fish: Self.fishText
    }
  }

  private static let bashText = #"""
    # Completion of kith for bash.
    _kith() {
      local words=() word line i program=${1/#\~/$HOME}
      for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        # bash takes --flag=value apart, and puts back what it gets in place of the value.
        if [[ $word == = ]]; then
          ((i < COMP_CWORD)) && continue
          word=
        fi
        words+=("$word")
      done
      COMPREPLY=()
      while IFS= read -r line; do
        case $line in
          :files | :folders)
            [[ $line == :files ]] && i=-f || i=-d
            compopt -o filenames 2>/dev/null
            while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen $i -- "${words[-1]}")
            ;;
          *) COMPREPLY+=("${line%%$'\t'*}") ;;
        esac
      done < <("$program" complete -- "${words[@]}" 2>/dev/null)
    }
    complete -F _kith kith
    """#

  private static let zshText = #"""
    #compdef kith
    # Completion of kith for zsh.
    _kith() {
      local line place
      local -a candidates
      for line in "${(@f)$("${words[1]/#\~/$HOME}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        case $line in
          '') ;;
          :files | :folders) place=$line ;;
          *$'\t'*) candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
          *) candidates+=("${line//:/\\:}") ;;
        esac
      done
      (($#candidates)) && _describe -V kith candidates
      if [[ -n $place ]]; then
        compset -P '--*='
        [[ $place == :files ]] && _files || _files -/
      fi
    }
    if [[ $funcstack[1] == _kith ]]; then _kith "$@"; else compdef _kith kith; fi
    """#

  private static let fishText = #"""
    # Completion of kith for fish.
    function __kith_complete
      set -l before (commandline -opc)
      set -l token (commandline -ct)
      for line in ($before[1] complete -- $before[2..] "$token" 2>/dev/null)
        switch $line
          case :files
            __fish_complete_path "$token"
          case :folders
            __fish_complete_directories "$token"
          case '*'
            printf '%s\n' $line
        end
      end
    end
    complete -c kith -k -f -a '(__kith_complete)'
    """#
}
