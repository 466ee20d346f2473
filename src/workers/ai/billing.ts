import { addUsage, type GenerativeModel, noTokens, type TokenUsage } from './model.ts';

/** Failures of calls that a provider has refused, or that did not reach it: they took no tokens. */
const unbilled = new WeakSet<object>();

export function markUnbilled<Failure extends object>(failure: Failure): Failure {
  unbilled.add(failure);
  return failure;
}

/** False for what ended in any other way: the provider may have answered, and bills it. */
export const isUnbilled = (failure: unknown): boolean =>
  typeof failure === 'object' && failure !== null && unbilled.has(failure);

/**
 * A model, and what its answers have taken together, also where they came to nothing. What a call took that was broken
 * off is not known, and left out.
 */
export function tally(model: GenerativeModel): { model: GenerativeModel; used(): TokenUsage | null } {
  let used: TokenUsage | null = noTokens;
  return {
    model: {
      ...model,
      async generate(request) {
        const generated = await model.generate(request);
        used = addUsage(used, generated.usage);
        return generated;
      },
    },
    used: () => used,
  };
}
