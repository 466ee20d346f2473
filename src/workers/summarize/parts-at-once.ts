/** Requests to a model at a time, by one job. */
export const partsAtOnce = 4;
