// What static/editor.js uses of CodeMirror 6.
export { EditorState, StateEffect, StateField, Prec } from "@codemirror/state";
export {
  EditorView, Decoration, WidgetType, keymap, lineNumbers, drawSelection, highlightActiveLine,
  ViewPlugin, highlightSpecialChars,
} from "@codemirror/view";
export { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
export {
  HighlightStyle, bracketMatching, StreamLanguage, indentOnInput, indentUnit, syntaxHighlighting, syntaxTree,
} from "@codemirror/language";
export { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, startCompletion } from "@codemirror/autocomplete";
export { search, searchKeymap, highlightSelectionMatches } from "@codemirror/search";
export { go } from "@codemirror/legacy-modes/mode/go";
export { tags } from "@lezer/highlight";
