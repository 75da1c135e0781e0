package discovery_test

import (
	"strings"
	"testing"

	"github.com/usetools/usetools/discovery"
	"github.com/usetools/usetools/registry"
)

// abroad are tools as servers from elsewhere describe them.
var abroad = []registry.Tool{
	tool("tianqi", "get_weather", "查询指定城市的实时天气和未来七天的天气预报。"),
	tool("tianqi", "get_air", "查询指定城市的空气质量指数。"),
	tool("ditu", "geocode", "将地址转换为经纬度坐标。"),
	tool("ditu", "route_driving", "根据起点和终点规划驾车路线。"),
	tool("ditu", "search_poi", "根据关键词搜索附近的地点。"),
	tool("youjian", "send_mail", "发送电子邮件给一个或多个收件人。"),
	tool("youjian", "delete_mail", "删除指定的电子邮件。"),
	tool("pogoda", "forecast", "Показывает прогноз погоды в выбранном городе на несколько дней."),
	tool("pogoda", "alerts", "Возвращает предупреждения о непогоде в регионе."),
	tool("zadachi", "add", "Создаёт новую задачу в списке дел."),
	tool("zadachi", "close", "Закрывает выполненную задачу."),
	tool("zadachi", "list", "Выводит список открытых задач пользователя."),
	tool("yotei", "create_event", "カレンダーに新しい予定を追加します。"),
	tool("yotei", "list_events", "カレンダーの予定を一覧表示します。"),
	tool("ilcheong", "today", "오늘의 일정을 조회합니다."),
	tool("kairos", "now", "Εμφανίζει τον τρέχοντα καιρό σε μια πόλη."),
	tool("lich", "them", "Thêm một sự kiện mới vào lịch."),
	tool("git", "git_log", "Show the commit history of a repository."),
	tool("weather", "forecast", "Get the weather forecast of a city."),
}

func TestPhrasesFindDescriptionsInTheirOwnScript(t *testing.T) {
	ix := index(t, nil, abroad...)
	for phrase, want := range map[string]string{
		"查询北京的天气预报":                 "tianqi.get_weather",
		"查询空气质量":                    "tianqi.get_air",
		"把地址转换成坐标":                  "ditu.geocode",
		"规划驾车路线":                    "ditu.route_driving",
		"搜索附近的餐厅":                   "ditu.search_poi",
		"发送邮件":                      "youjian.send_mail",
		"删除邮件":                      "youjian.delete_mail",
		"показать прогноз погоды":   "pogoda.forecast",
		"предупреждения о погоде":   "pogoda.alerts",
		"создать новую задачу":      "zadachi.add",
		"закрыть задачу":            "zadachi.close",
		"список моих задач":         "zadachi.list",
		"カレンダーに予定を追加":               "yotei.create_event",
		"予定の一覧":                     "yotei.list_events",
		"오늘 일정 조회":                  "ilcheong.today",
		"τον καιρό σε μια πόλη":     "kairos.now",
		"thêm sự kiện vào lịch":     "lich.them",
		"them su kien moi vao lich": "lich.them",
	} {
		r := resolve(t, ix, phrase, nil)
		t.Logf("%s: %s %.2f %v", phrase, r.Verdict, r.Confidence, r.Candidates[:min(2, len(r.Candidates))])
		if len(r.Candidates) == 0 || r.Candidates[0].ID != want || r.Verdict == discovery.NotFound {
			t.Errorf("%q: %s %+v, want %s first", phrase, r.Verdict, r.Candidates, want)
		}
	}
	for phrase, want := range map[string]string{"show the commit history": "git.git_log",
		"weather forecast of a city": "weather.forecast"} {
		if r := resolve(t, ix, phrase, nil); r.Tool != want {
			t.Errorf("%q: %+v, want %s", phrase, r, want)
		}
	}
	for _, nothing := range []string{"。，！", "🙂🙂", "в на и", "烹饪食谱"} {
		if r := resolve(t, ix, nothing, nil); r.Verdict != discovery.NotFound {
			t.Errorf("%q: %+v", nothing, r)
		}
	}
}

func TestWordsOfTexts(t *testing.T) {
	for text, want := range map[string]string{
		"天气预报 API":           "天气 气预 预报 api",
		"京":                  "京",
		"Погода: прогнозы":   "погод прогн",
		"ёлка":               "елка",
		"カレンダーの予定":           "カレ レン ンダ ダー ーの の予 予定",
		"일정을":                "일정 정을",
		"re\u0301sume\u0301": "resum",
		"tìm kiếm":           "tim kiem",
		"ＡＢＣ ｘ":              "abc x",
		"…—🙂。":               "",
		"a\xffb":             "b",
		"list branches":      "list branch",

		"initialize the configuration": "init config",
		"repo info":                    "repo informat",
		"listAllS3Buckets":             "list s3 bucket",
		"get_user_by_id":               "get user identifi",
		"HTTPServerError":              "http serv error",
		"GitHub":                       "git hub github",
		"k8s":                          "kubernet",
		"OAuth2 token":                 "o auth oauth token",
		"vectorSearch":                 "vector search vectorsearch",
		"v2/users/{id}":                "v2 user identifi",
		"what's new?":                  "new",
	} {
		if got := strings.Join(discovery.Terms(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
