import type { ErrorCode } from '../errors.ts';

/** What can go wrong between the door and a target. */
export const targetErrors = [
  'url_not_allowed',
  'target_dns_failed',
  'target_unreachable',
  'target_tls_failed',
  'target_protocol_error',
  'target_too_large',
  'target_timeout',
  'egress_proxy_failed',
  'job_timeout',
] as const satisfies readonly ErrorCode[];

/** What can go wrong with a page, whichever engine reads it. */
export const pageErrors = [
  ...targetErrors,
  'too_many_redirects',
  'selector_not_found',
  'unsupported_content',
  'page_crashed',
  'page_unresponsive',
] as const satisfies readonly ErrorCode[];

/** The same where content is asked for, which a bot challenge is not. */
export const contentErrors = [...pageErrors, 'target_blocked'] as const satisfies readonly ErrorCode[];
