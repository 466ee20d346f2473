/** What `Accept: image/*` can be answered with, by the operations that make pictures. */
export const imageTypes = ['image/png', 'image/jpeg', 'image/webp'] as const;
