/** What each app shows once it runs. */
export const articles = [
  {
    title: 'Rails to the harbour',
    text: 'The narrow gauge line carried slate from the galleries to the ships. '.repeat(6),
  },
  {
    title: 'The long winter',
    text: 'Frost opened the rock, and for eleven weeks nobody could work the face. '.repeat(6),
  },
];
