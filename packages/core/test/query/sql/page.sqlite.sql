select ((('{"rows":' || (select '[' || coalesce(string_agg(((('{"id":' || "t0"."id") || ',"word":') || (json_quote("t0"."word") || '}')), ','), '') || ']'
        from (select *
          from "tag" as "t0"
          order by "t0"."id"
          limit ? offset ?) as "t0")) || ',"count":') || ((select count(*)
      from "tag" as "t0") || '}')) as json 
