/** Kills a whole process group; a group that is gone already is fine. */
export function killGroup(groupId: number): void {
  try {
    process.kill(-groupId, 'SIGKILL');
  } catch {
    // ESRCH: nobody is left in it.
  }
}
