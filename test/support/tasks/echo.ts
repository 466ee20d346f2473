/** Answers what it is given. */
export default (value: unknown): unknown => value;
