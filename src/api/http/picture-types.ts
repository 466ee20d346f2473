/** What a picture can be answered as, by the operations that make some: a printed page is one too. */
export const pictureTypes = ['image/png', 'image/jpeg', 'image/webp', 'application/pdf'] as const;
