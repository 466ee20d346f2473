import { AppError } from '../../shared/errors.ts';

/** @param methods those that the path has. */
export function methodNotAllowed(method: string, methods: Iterable<string>): AppError {
  const allow = [...new Set(methods)].filter((name) => name !== 'HEAD').join(', ');
  return new AppError('method_not_allowed', `${method} is not possible here. Use ${allow}.`, {
    headers: { Allow: allow },
  });
}
