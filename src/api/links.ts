import { createHmac, timingSafeEqual } from 'node:crypto';

export const fileVariants = ['original', 'thumbnail'] as const;
export type FileVariant = (typeof fileVariants)[number];

export interface FileLink {
  fileId: string;
  variant: FileVariant;
  /** Seconds since the epoch. */
  expires: number;
}

/** Links that show a stored file to whoever has them, until they expire. Minted for an answer, never stored. */
export interface Links {
  sign(origin: string, fileId: string, variant: FileVariant, expiresAt: Date): string;
  isValid(link: FileLink, signature: string): boolean;
}

export function createLinks(secret: string): Links {
  const signatureOf = ({ fileId, variant, expires }: FileLink) =>
    createHmac('sha256', secret).update(`${fileId}\n${variant}\n${expires}`).digest();
  return {
    sign(origin, fileId, variant, expiresAt) {
      const link = { fileId, variant, expires: Math.floor(expiresAt.getTime() / 1_000) };
      const query = new URLSearchParams({
        ...(variant === 'original' ? {} : { variant }),
        expires: String(link.expires),
        signature: signatureOf(link).toString('base64url'),
      });
      return `${origin}/files/${fileId}?${query}`;
    },
    isValid(link, signature) {
      const given = Buffer.from(signature, 'base64url');
      const expected = signatureOf(link);
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}
