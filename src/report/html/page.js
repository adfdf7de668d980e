"use strict";
(function () {
  var form = document.getElementById("filters");
  var list = document.getElementById("events");
  var count = document.getElementById("count");
  if (!form || !list) { return; }
  var events = Array.prototype.slice.call(list.children);
  var names = ["who", "memory", "verdict", "agent", "from", "to", "text"];
  var field = function (name) { return form.elements.namedItem(name); };
  var holds = function (values, wanted) { return !wanted || values.split("\n").indexOf(wanted) >= 0; };

  function fits(event, asked) {
    var data = event.dataset;
    return holds(data.who, asked.who) && holds(data.memory, asked.memory) &&
      holds(data.tags, asked.verdict) && holds(data.agent, asked.agent) &&
      (!asked.from || data.day >= asked.from) && (!asked.to || data.day <= asked.to) &&
      (!asked.text || event.textContent.toLowerCase().indexOf(asked.text.toLowerCase()) >= 0);
  }

  function apply() {
    var asked = {};
    names.forEach(function (name) { asked[name] = field(name).value.trim(); });
    var shown = 0;
    events.forEach(function (event) {
      var fit = fits(event, asked);
      event.hidden = !fit;
      shown += fit ? 1 : 0;
    });
    count.textContent = shown === events.length
      ? "All " + shown + " changes on this page are shown."
      : shown + " of " + events.length + " changes on this page are shown.";
    document.documentElement.dataset.shown = String(shown);
    return asked;
  }

  function remember() {
    var asked = apply();
    var parts = names.filter(function (name) { return asked[name]; }).map(function (name) {
      return name + "=" + encodeURIComponent(asked[name]);
    });
    var address = parts.length ? "#" + parts.join("&") : "#changes";
    try { history.replaceState(null, "", address); } catch (refused) { /* some viewers have no history */ }
  }

  function read() {
    var hash = location.hash.slice(1);
    if (hash.indexOf("c-") === 0) { open(hash); return; }
    if (hash.indexOf("=") < 0) { return; }
    form.reset();
    hash.split("&").forEach(function (part) {
      var at = part.indexOf("=");
      var name = part.slice(0, at);
      if (names.indexOf(name) < 0) { return; }
      var value = part.slice(at + 1);
      try { value = decodeURIComponent(value); } catch (damaged) { return; }
      field(name).value = value;
    });
    apply();
    document.getElementById("changes").scrollIntoView();
  }

  function open(id) {
    var event = document.getElementById(id);
    var details = event && event.querySelector("details");
    if (!details) { return; }
    event.hidden = false;
    details.open = true;
    event.scrollIntoView();
  }

  form.hidden = false;
  form.addEventListener("input", remember);
  form.addEventListener("submit", function (event) { event.preventDefault(); remember(); });
  document.getElementById("f-reset").addEventListener("click", function () { form.reset(); remember(); });
  document.getElementById("f-unfold").addEventListener("click", function () {
    var shown = events.filter(function (event) { return !event.hidden; });
    var all = shown.map(function (event) { return event.querySelector("details"); });
    var close = all.every(function (details) { return details.open; });
    all.forEach(function (details) { details.open = !close; });
  });
  window.addEventListener("hashchange", read);
  window.addEventListener("beforeprint", function () {
    events.forEach(function (event) { event.querySelector("details").open = !event.hidden; });
  });
  apply();
  read();
}());
