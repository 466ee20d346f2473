import type { AiSettings } from '../../shared/ai/ai-settings.ts';
import { extractiveModelId } from '../../shared/ai/model-list.ts';
import type { Db } from '../../shared/db/client.ts';
import { createFetch } from '../../shared/egress/fetch.ts';
import type { EgressLease, EgressLeaseOptions } from '../../shared/egress/types.ts';
import { AppError } from '../../shared/errors.ts';
import { extractiveModel, type Model, type TokenUsage } from './model.ts';

/** The models of this service, by what clients call them. */
export interface Models {
  /**
   * @param id as of `findModel`.
   * @param userId whose tokens its calls take.
   * @throws AppError `unknown_model`.
   */
  get(id: string | undefined, userId: string): Promise<Model>;
}

export interface ModelsParts {
  settings: AiSettings;
  db: Db;
  openLease(options: EgressLeaseOptions): EgressLease;
  /** Told what each call of a model has taken. */
  onUsage: (modelId: string, usage: TokenUsage) => void;
}

/** Of one call, its retries included: a small machine writes five words a second. */
const callTimeoutMs = 10 * 60_000;

/**
 * The model that is asked for, as the operator has listed it; null for the built-in one.
 * @param id default: the one that the operator has chosen.
 * @throws AppError `unknown_model`.
 */
export function findModel(settings: AiSettings, id = settings.defaultModelId) {
  if (id === extractiveModelId) return null;
  const listed = settings.models.find((model) => model.id === id);
  const provider = listed && settings.providers[listed.provider];
  if (listed === undefined || provider === undefined) {
    const known = [...settings.models.map((model) => model.id), extractiveModelId].join(', ');
    throw new AppError('unknown_model', `There is no model "${id}" here. Choose one of: ${known}.`);
  }
  return { listed, provider };
}

export function createModels({ settings, db, openLease, onUsage }: ModelsParts): Models {
  return {
    async get(id, userId) {
      const found = findModel(settings, id);
      if (found === null) return extractiveModel;
      const { listed, provider } = found;
      // The SDK and its providers take 60 MB, counting tokens 50; not needed where nobody has set a provider.
      const [{ openProviderModel }, { createSdkModel }, { meterModel }] = await Promise.all([
        import('./provider-model.ts'),
        import('./sdk-model.ts'),
        import('./meter-model.ts'),
      ]);
      const model = createSdkModel({
        id: listed.id,
        provider: listed.provider,
        contextTokens: listed.contextTokens,
        local: provider.isPrivate,
        timeoutMs: callTimeoutMs,
        async withSdkModel(signal, run) {
          await using lease = openLease({ signal, hosts: [new URL(provider.baseUrl).host] });
          const fetch = createFetch(lease, { timeoutMs: callTimeoutMs, idleTimeoutMs: callTimeoutMs });
          return await run(openProviderModel(provider, listed.name, fetch));
        },
      });
      return meterModel(model, { db, userId, onUsage });
    },
  };
}
