# The reaper's own program (see reaper.ts), in a shell since one in Node takes 27 MB. Lines on standard input: `GROUP
# FOLDER`, with 0 while its program is starting; `- FOLDER` once it is gone. When the input ends, what is still on the
# list is killed and deleted.
PATH=/usr/bin:/bin
trap '' INT TERM HUP
newline='
'
watched=

# Without the folder $1.
list_others() {
  printf '%s\n' "$watched" | while IFS= read -r entry; do
    [ "${entry#* }" = "$1" ] || printf '%s\n' "$entry"
  done
}

while read -r group folder; do
  watched=$(list_others "$folder")
  [ "$group" = - ] || watched="$watched${watched:+$newline}$group $folder"
done

read_process() {
  tr '\0' ' ' <"/proc/$1/$2" 2>/dev/null
}

# The kernel may have given the number to someone else, but not while the group has members.
is_still_ours() {
  command=$(read_process "$1" cmdline) 2>/dev/null
  [ -z "$command" ] && return 0
  case "$command $(read_process "$1" environ)" in
    *"$2"*) return 0 ;;
    *) return 1 ;;
  esac
}

for_each_watched() {
  printf '%s\n' "$watched" | {
    failed=0
    while read -r group folder; do
      [ -z "$folder" ] || "$@" "$group" "$folder" || failed=1
    done
    exit "$failed"
  }
}

kill_group() {
  [ "$1" -eq 0 ] || ! is_still_ours "$1" "$2" || kill -s KILL -- "-$1"
}

# `rm` goes by open folders and follows no link.
delete_folder() {
  rm -rf --one-file-system -- "$2"
}

for_each_watched kill_group 2>/dev/null
# Dying processes may still write into their folder, so deleting is tried again until it stays gone.
attempt=0
while [ "$attempt" -lt 20 ]; do
  for_each_watched delete_folder 2>/dev/null && [ "$attempt" -ge 2 ] && break
  attempt=$((attempt + 1))
  sleep 0.1
done
