import type { grantLicense } from '../../../src/shared/contracts/admin/grant-license.ts';
import type { listUsers } from '../../../src/shared/contracts/admin/users.ts';
import type { listAudit } from '../../../src/shared/contracts/audit/list.ts';
import type { listJobs } from '../../../src/shared/contracts/jobs/list.ts';
import type { createKey } from '../../../src/shared/contracts/keys/create.ts';
import type { listKeys } from '../../../src/shared/contracts/keys/list.ts';
import type { rotateKey } from '../../../src/shared/contracts/keys/rotate.ts';
import type { keyUsage } from '../../../src/shared/contracts/keys/usage.ts';
import type { webhookDeliveries } from '../../../src/shared/contracts/webhooks/deliveries.ts';
import type { webhookSecret } from '../../../src/shared/contracts/webhooks/secret.ts';
import type { OutputOf } from '../../../src/shared/operation.ts';
import type { HealthReport } from '../../../src/api/health.ts';

/* The types of answers are those of the contracts: what the API changes, the console hears of at its type check. */

export type KeyList = OutputOf<typeof listKeys>;
export type Key = KeyList['keys'][number];
export type CreatedKey = OutputOf<typeof createKey>;
export type RotatedKey = OutputOf<typeof rotateKey>;
export type AuditPage = OutputOf<typeof listAudit>;
export type AuditEntry = AuditPage['entries'][number];
export type KeyUsage = OutputOf<typeof keyUsage>;
export type JobPage = OutputOf<typeof listJobs>;
export type { Job } from '../../../src/shared/schemas/job.ts';
export type UserPage = OutputOf<typeof listUsers>;
export type User = UserPage['users'][number];
export type License = OutputOf<typeof grantLicense>['license'];
export type DeliveryPage = OutputOf<typeof webhookDeliveries>;
export type Delivery = DeliveryPage['deliveries'][number];
export type WebhookSecret = OutputOf<typeof webhookSecret>;
export type Readiness = HealthReport & { ready: boolean };

/** What the proxy's own endpoints wrap their answers in. */
export interface Envelope<Data> {
  data: Data;
}
