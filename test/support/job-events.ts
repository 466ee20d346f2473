/** The life of a job as a pattern of its events; a reader who begins in the middle sees the rest of one. */
const life =
  /^accepted( started( progress)*( parked( progress)* resumed( progress)*)*( parked( progress)*)?)?( succeeded| failed| canceled)( expired)?$/;

/** What is wrong with the events of a job that has ended: their order, one twice, one missing, none that is its end. */
export function flawsOfEvents(kinds: readonly string[]): string[] {
  const text = kinds.join(' ');
  return life.test(text) ? [] : [text === '' ? 'no events' : text];
}
