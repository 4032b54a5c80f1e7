#include "runner/exec/slurm/pilot_script.h"

#include <fmt/format.h>

#include "runner/wire/attempt_folder.h"

namespace sweepd {
namespace {

// Bash alone; `mv`, srun and the worker are the only programs started for an attempt, and none for
// a forked one. Reading reopens `order` each time, and writing replaces a whole file, which
// suffices for NFS (close-to-open).
constexpr const char* kBody = R"bash(
put() {  # FILE TEXT: replaces it at once, or not at all; waits a minute while the disk is full
  local tries=0
  until printf '%s\n' "$2" > "$1.new" && mv -f "$1.new" "$1"; do
    [[ -d ${1%/*} ]] && (( ++tries < 60 )) || exit "$unwritable"
    sleep 1
  done
} 2>/dev/null

report() {  # STATE [WORDS]
  put "$folder/report" "$number $1 $SLURM_JOB_ID $SLURM_JOB_NODELIST ${2-}"
}

# Sets what a task's worker sees. Slurm has bound the task and set its variables.
surround() {  # ON_GPUS
  local gpus
  export RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=$SLURM_NTASKS SWEEPD_NODES=$SLURM_STEP_NUM_NODES
  export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK MKL_NUM_THREADS=$SLURM_CPUS_PER_TASK
  export CUDA_DEVICE_ORDER=PCI_BUS_ID
  IFS=, read -ra gpus <<< "${CUDA_VISIBLE_DEVICES-}"
  export CUDA_VISIBLE_DEVICES=
  [[ $1 == 0 ]] || CUDA_VISIBLE_DEVICES=${gpus[LOCAL_RANK]-$LOCAL_RANK}
  export SWEEPD_CORES=$SLURM_CPUS_PER_TASK SWEEPD_STEP="$SLURM_JOB_ID.$SLURM_STEP_ID on $SLURMD_NODENAME"
  export SWEEPD_STATUS_PAGE=$pages.$SLURM_STEP_ID.$RANK
}

# All ranks of an attempt need the same port on the first node; another attempt has another.
choose_port() { port=$(( 20000 + 16#${1:0:7} % 10000 )); }  # ATTEMPT; sets `port`

# What one task of an attempt's step does: NUMBER ATTEMPT ON_GPUS
rank() {
  local run=$folder/run.$1 attempt=$2 code terminated=
  surround "$3"
  choose_port "$attempt"
  export SWEEPD_ATTEMPT=$attempt MASTER_PORT=$port
  exec >> "$runs/$attempt/log.$RANK.txt" 2>&1 < /dev/null
  put "$run/began.$RANK" "$EPOCHREALTIME $SLURMD_NODENAME $SLURM_JOB_ID.$SLURM_STEP_ID"
  # A signal to the step also reaches this shell, which must still tell the worker's end. It says
  # that the signal came too: when a step ends at once, srun may not print that it was cancelled.
  trap terminated=terminated TERM
  trap '' INT  # srun passes on the one that ends it, just before it kills all tasks
  "$worker" --run "$runs/$attempt"
  code=$?
  if [[ -e $SWEEPD_STATUS_PAGE ]]; then
    cp "$SWEEPD_STATUS_PAGE" "$runs/$attempt/status.$RANK.new" &&
      mv -f "$runs/$attempt/status.$RANK.new" "$runs/$attempt/status.$RANK"
    rm -f "$SWEEPD_STATUS_PAGE"
  fi
  put "$run/exit.$RANK" "$code $terminated"
}

case ${1-} in
  rank) rank "$2" "$3" "$4"; exit 0 ;;
  serve) surround 0; exec "$2" --serve-job "$folder" "$runs" ;;
esac

# What sbatch was told must not change what srun is told.
unset SLURM_CPUS_PER_TASK SLURM_TRES_PER_TASK SLURM_NTASKS SLURM_NPROCS SLURM_NTASKS_PER_NODE SLURM_CPU_BIND
unset SLURM_EXPORT_ENV "${!SRUN_@}" "${!SCANCEL_@}"

# Keeps the beginning of what comes, however much that is and however long its lines are.
keep() {  # FILE
  local line size=0
  trap '' TERM  # srun may say why it ends
  while IFS= read -rn 4096 line || [[ -n $line ]]; do
    (( (size += ${#line} + 1) > 65536 )) || printf '%s\n' "$line"
  done > "$1"
}

number=0
exec {never}<> <(:)  # nobody writes to it but the end of a step
pause() { read -rt "$1" -u "$never" _; }

# Two jobs of one name: an answer of sbatch was lost, and it ran again. Whatever else keeps mkdir from it keeps all
# jobs from it, so somebody has to read why.
if ! said=$(mkdir "$folder/taken" 2>&1); then
  if [[ -d $folder/taken ]]; then
    echo "another job has the folder $folder"
    exit 0
  fi
  echo "$said"
  exit "$unwritable"
fi

# Runs an attempt. Returns when nothing of it is left.
attempt() {  # ATTEMPT RANKS PER_NODE ON_GPUS NODES
  local run=$folder/run.$number share=$(( SLURM_CPUS_ON_NODE / $3 )) told=run killed=0 step word code id
  # A controller that was away may not know that the last step has ended. srun then waits, without a word,
  # for cores that are free. While no task has begun, srun can be ended and run again with leave to share
  # them. Each run gets twice as long as the one before, since a cluster may be slow.
  local patience=10 late look sharing=()
  (( share > 0 )) || share=1
  report runs
  while :; do
    {
      {
        srun --quit-on-interrupt --nodes="$5" --ntasks="$2" --ntasks-per-node="$3" --cpus-per-task="$share" \
          --distribution=block --overcommit --kill-on-bad-exit=0 --wait=0 --input=none \
          "${sharing[@]}" bash "$folder/pilot.sh" rank "$number" "$1" "$4" 2>&1 &
        echo $! > "$run/srun"
        wait $!
        echo $? > "$run/code"
      } | keep "$run/srun.txt"
      echo >&"$never"
    } &
    step=$! late=0 look=$(( SECONDS + patience ))
    until pause 0.05; do
      kill -0 "$step" || { pause 0.05; break; }
      if (( SECONDS >= look )); then
        look=$(( SECONDS + 5 ))
        if compgen -G "$run/began.*" > /dev/null; then
          look=$(( 1 << 40 ))
        elif (( late++ )); then
          kill -KILL "$(< "$run/srun")"
        else
          kill -INT "$(< "$run/srun")"
        fi
      fi
      read -r seen word _ < "$folder/order"
      [[ $seen == "$number" && $word != "$told" ]] || continue
      case $word in
        stop) read -r _ _ id < "$run/began.0" && scancel --signal=TERM "$id" && told=stop ;;
        kill) kill -INT "$(< "$run/srun")" && told=kill killed=1 ;;
      esac
    done 2>/dev/null
    wait "$step"
    code=$(< "$run/code")
    [[ $code == 0 ]] && break
    compgen -G "$run/began.*" > /dev/null && break
    # Nothing began. The controller may be away, or a node still busy with the last step.
    [[ $told == run ]] || break
    (( late )) && { patience=$(( 2 * patience )) sharing=(--overlap); continue; }
    grep -qiE 'contact|connection|connect failure|communication|timed out|busy|temporarily|socket' \
      "$run/srun.txt" || break
    sleep 1
  done
  if (( killed )); then  # no task could remove its page
    srun --nodes="$5" --ntasks="$5" --ntasks-per-node=1 --overcommit bash -c "rm -f $pages.*" > /dev/null 2>&1
  fi
  report over "$code"
}

# The loaded worker: the process of its srun ("": there is none), which one it is, and how often one was lost since
# the last attempt that it ran. After three times attempts have steps of their own for `rest` seconds; then it is
# loaded once more, since what kept it from loading may have been a node without memory, or a file that was missing.
# If that is in vain, the next rest is twice as long.
server='' program='' lost=0 ready=0 rest=$reload retry=0
exec {from}< /dev/null {to}> /dev/null  # what it says and what it hears
exec {bell}<> <(:)  # rings when there is a line to read from it, or when it has ended
trap : PIPE  # it may end at any moment

# A `read` with a limit may lose what comes just as the time is over (bash 5.2 loses the end of a line). So only the
# bell is waited for, which has no meaning, and a line is read once all of it is there.
pass_on() {  # stdin to stdout, line by line
  local line
  exec {loaded[1]}>&- {to}>&-  # else the loaded worker would not see that the pilot has ended
  trap '' TERM
  while read -r line; do
    echo "$line"
    echo >&"$bell"
  done
  exec >&-
  echo >&"$bell"
}

start_server() {  # PROGRAM
  program=$1
  coproc loaded {
    exec srun --quit-on-interrupt --overlap --nodes=1 --ntasks=1 --nodelist="$SLURMD_NODENAME" \
      --cpus-per-task="$SLURM_CPUS_ON_NODE" --distribution=block --kill-on-bad-exit=0 --wait=0 \
      bash "$folder/pilot.sh" serve "$program" 2> "$folder/server.txt"
  }
  server=$loaded_PID ready=0
  exec {from}<&- {to}>&-
  exec {raw}<&"${loaded[0]}" {to}>&"${loaded[1]}"
  exec {from}< <(pass_on <&"$raw")
  exec {raw}<&-
} 2>/dev/null

# Waits at most the seconds for a line of the loaded worker, and sets `answer`. 1: none came, 2: it has ended.
hear() {
  read -rt "$1" -u "$bell" _
  read -rt 0 -u "$from" || return 1  # there is none yet
  read -ru "$from" answer && return 0
  wait "$server"
  code=$? server=
  return 2
}

lose() {
  (( ++lost < 3 )) || { retry=$(( SECONDS + rest )) rest=$(( 2 * rest )); }
}

# Ends the loaded worker, which ends with its stdin.
end_server() {
  local tries=0
  exec {loaded[1]}>&- {to}>&- {to}> /dev/null
  while [[ -n $server ]]; do
    hear 0.2
    (( ++tries == 50 )) && kill -KILL "$server"
  done
} 2>/dev/null

# Runs an attempt as a fork of the loaded worker, which reports what becomes of it. 1: it has not begun.
forked() {  # ATTEMPT [light]: the worker without LibTorch is enough
  local run=$folder/run.$number told=fork asked=0 since=$SECONDS limit signal=INT seen word answer= result code
  local wanted=$worker
  [[ ${2-} == light && -x $light ]] && wanted=$light
  # The one with LibTorch can run everything, so it stays once it has loaded.
  [[ -n $server && $program != "$worker" && $wanted == "$worker" ]] && end_server
  while :; do
    if [[ -z $server ]]; then
      if (( lost >= 3 )); then
        (( SECONDS >= retry )) || return 1
        lost=2
      fi
      start_server "$wanted"
      since=$SECONDS
    fi
    if (( ready && ! asked )); then
      choose_port "$1"
      echo "fork $number $1 $port" >&"$to"
      asked=1
    fi
    hear 0.05
    result=$?
    case $result$answer in
      "0over $number") lost=0 rest=$reload; return 0 ;;
      0ready) ready=1 ;;
      0stale) ready=0 asked=0 lost=-1 ;;  # it ends now, and that is no loss
      2*)
        ready=0 asked=0
        lose
        [[ -e $run/began.0 ]] || continue
        cp "$folder/server.txt" "$run/srun.txt"
        rm -f "$pages".*
        report over "$code"
        return 0
        ;;
    esac
    # Slurm starts no step, or the worker is stuck.
    limit=60
    [[ $told == kill ]] && limit=10
    if [[ $ready == 0 || $told == kill ]] && (( SECONDS - since >= limit )); then
      kill -"$signal" "$server"
      lost=3 signal=KILL since=$(( SECONDS - limit + 5 ))
    fi
    read -r seen word _ < "$folder/order"
    [[ $seen == "$number" && $word != "$told" ]] || continue
    (( asked )) || { report over 0; return 0; }  # it was taken back before it began
    echo "$word" >&"$to"
    told=$word since=$SECONDS
  done 2>/dev/null
}

# Also one that ends the shell is told, unless somebody ended the job: Slurm says so then.
trap 'report prologue $?; exit 1' EXIT
trap 'trap - EXIT; exit 1' TERM
prologue
code=$?
(( code == 0 )) || exit "$code"
# A fork may be killed before it can remove its page, when somebody cancels the job.
trap 'rm -f "$pages".*' EXIT
trap 'exit 1' TERM
report idle

# Right after an attempt the next order is a moment away, so it is looked for more often. The first one is
# waited for longer than a short `idle`: sweepd must first see that the job runs.
until_s=$(( SECONDS + (idle < 10 ? 10 : idle) )) soon=0
while (( SECONDS < until_s )) && [[ -d $folder ]]; do
  read -r seen word what ranks per_node on_gpus nodes which < "$folder/order"
  if (( seen > number )); then
    number=$seen
    case $word in
      run) attempt "$what" "$ranks" "$per_node" "$on_gpus" "$nodes" ;;
      fork) forked "$what" "$which" || attempt "$what" "$ranks" "$per_node" "$on_gpus" "$nodes" ;;
      end) break ;;
      *) report over 0 ;;  # it was taken back before it began
    esac
    until_s=$(( SECONDS + idle )) soon=50
  fi
  if (( soon-- > 0 )); then pause 0.005; else pause 0.05; fi
done
report ended
exec {to}>&-  # the loaded worker ends
)bash";

}  // namespace

std::string quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string pilot_script(const PilotSettings& settings, const std::filesystem::path& job_folder) {
  const std::string prologue = settings.pool.prologue.empty() ? ":" : settings.pool.prologue;
  return fmt::format(
             "#!/bin/bash\n"
             "# The pilot of sweepd: runs one attempt after the other in this job's allocation, "
             "and\n"
             "# ends when there has been none for a while. sweepd writes `order`, this writes "
             "`report`.\n"
             "folder={}\n"
             "runs={}\n"
             "worker={}\n"
             "light={}  # the worker without LibTorch\n"
             "idle={}  # seconds\n"
             "reload={}  # seconds\n"
             "unwritable={}\n"
             "pages=/dev/shm/sweepd.$SLURM_JOB_ID\n"
             "export MASTER_ADDR=${{MASTER_ADDR-$SLURMD_NODENAME}}\n"
             "prologue() {{\n{}\n}}\n",
             quoted(job_folder.string()), quoted(settings.pool.runs),
             quoted(settings.worker.string()), quoted(settings.light.program.string()),
             settings.pool.slurm->idle.ns / 1'000'000'000,
             settings.timing.reload.ns / 1'000'000'000, kExitJournal, prologue) +
         kBody;
}

}  // namespace sweepd
