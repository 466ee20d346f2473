import type { ErrorCode, ExtensionErrors } from '../../shared/errors.ts';

/** What each code means and what to do, for `/docs/errors`. The `detail` of a problem says it of the very request. */
export const errorGuide: Readonly<Record<Exclude<ErrorCode, keyof ExtensionErrors>, string>> = {
  invalid_request:
    'A field, parameter or header is missing, unknown or out of its bounds. `errors` names each place. Mend the request; the same one fails again.',
  unknown_model: 'No model has this id here. `GET /ai/models` lists those that there are.',
  key_inactive: 'The key was rotated, revoked or has expired, so it cannot be rotated. Create a new one.',
  unauthenticated:
    'The call needs a signed-in session. Sign in with `POST /api/auth/sign-in/email` and send its cookie.',
  key_missing: 'The call needs an API key: header `X-API-Key`, or `Authorization: Bearer`.',
  key_invalid: 'The key is not well formed, or not known here. Copy it again, whole.',
  key_expired: "The key is past its time, or past its rotation's 24 hours of grace. Use its successor.",
  key_revoked: 'The key was revoked. Use another one.',
  license_required: 'The user has no license that is valid now. An operator grants one.',
  forbidden:
    'The caller may not do this: another role, origin, address or scope is needed, a signature is wrong, or a permanent limit is reached. `detail` says which.',
  url_not_allowed:
    'The egress rules refuse the name, address or port of the target. An operator opens private targets with `EGRESS_ALLOW`.',
  not_found: 'There is nothing of this path or id that the caller may see.',
  method_not_allowed: 'The path has other methods; the header `Allow` lists them.',
  not_acceptable:
    'The answer has none of the media types that `Accept` allows. `detail` lists what is offered.',
  request_timeout: 'The request did not arrive whole in time. Send it again.',
  result_expired: 'The result was deleted, because its time was over or on request. Send the request again.',
  body_too_large:
    'The body is larger than 1 MiB, or than 16 KiB where it is to sign in, or came in too many pieces.',
  unsupported_media_type:
    'The body is not JSON, is compressed, or is in another charset than UTF-8. Send `Content-Type: application/json`.',
  headers_too_large: 'The headers of the request are too large together.',
  idempotency_mismatch:
    'The `Idempotency-Key` was used for another request within 24 hours. Use a new key for a new request.',
  selector_not_found: 'No element of the page matches the selector within the time.',
  target_too_large: 'The page or file is larger than can be read, or takes too much work to read.',
  unsupported_content: 'The target is of a kind that this call does not read. `detail` names it.',
  image_too_large: 'The picture has more pixels than can be made. Ask for a smaller one.',
  platform_unsupported: 'No engine here reads videos of this address.',
  video_not_found: 'The platform has no such video (any more).',
  video_private: 'The video is private.',
  video_age_restricted: 'The platform shows the video only to those who are signed in and old enough.',
  video_geo_blocked: 'The platform does not show the video in the country of this service.',
  video_live_unsupported: 'The video is live, and this call needs one that has ended.',
  captions_unavailable: 'The video has no captions of this language or kind. `available` lists those it has.',
  platform_blocked:
    'The platform treats this service as a bot. It is asked again later; an operator can set cookies.',
  token_budget_used: 'The models have used the tokens of the plan for this UTC day.',
  rate_limited:
    'The allowance of the hour is used up. `retryAfterSeconds` says when the next request is free.',
  too_many_jobs: 'Too many jobs of the user have not ended. Wait for some, or cancel some.',
  too_many_attempts:
    'Too many failed sign-ins of this account or from this address, too many sign-ups from it, or too many keys created or rotated in an hour. `detail` says which.',
  job_canceled: 'The job was canceled before it ended.',
  internal_error:
    'Something went wrong on our side. Try again; if it persists, give the operator the `requestId`.',
  worker_lost: 'Three workers have died while they worked on the job, so it was given up.',
  target_dns_failed: "The target's name has no address now.",
  target_unreachable: 'The target does not accept connections, or breaks them.',
  target_tls_failed:
    "The target's certificate or TLS is not valid. `verifyTls: false` accepts any certificate.",
  target_protocol_error:
    'The target does not answer with correct HTTP, or redirects to an address that is not read: one that is not `http:` or `https:`, or has credentials.',
  too_many_redirects: 'The target redirects too often, or in a circle.',
  target_blocked: 'The target answers a challenge for bots in place of the page.',
  page_crashed: 'The page has brought its browser process down, or went away while it was read.',
  egress_proxy_failed:
    'The upstream proxy that requests to this target have to take has failed; the target was not asked. The operator has to repair the proxy, or to correct `EGRESS_PROXY`.',
  upstream_failed: 'The provider of a model, of SEO data or of videos has failed. `detail` names it.',
  overloaded:
    'A queue is full, too many requests of one key wait already, or too many downloads, thumbnails or documents are being made at once. Try again after `Retry-After`.',
  unavailable:
    'The database, the queue server or the browser cannot be reached now, or this process is stopping. Try again after `Retry-After`.',
  not_configured:
    'The operator has to set something first: `detail` names it, and `GET /api/proxy/capabilities` lists it beforehand.',
  target_timeout: 'The target did not answer in time. A longer `timeout` may help.',
  page_unresponsive: 'The page kept its browser process too busy to be read.',
  job_timeout: 'The job took longer than its bound.',
};
